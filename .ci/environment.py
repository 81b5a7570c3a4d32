"""Makes `.venv` from the locks beside this file: `environment.py ready|make [--dev]`.

`ready` answers by its exit code, in some 30 ms, whether the environment that runs it is whole and
made from these very locks. `make` makes it so, shows that it goes on, and can be run again
whatever stopped it. Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from steps import Trouble, clock, run, say

try:
    import fcntl
except ImportError:  # Windows: two set-ups at once are not noticed there
    fcntl = None  # type: ignore[assignment]

ENGINE = "llama-cpp-python"
ROOM_MB = {"environment": 1_000, "build": 500}  # measured: 590, with the tests 870; and 305


@dataclass(frozen=True)
class Place:
    """Where everything is in one clone."""

    top: Path

    @property
    def venv(self) -> Path:
        return self.top / ".venv"

    @property
    def python(self) -> Path:
        return self.venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def state(self) -> Path:
        return self.venv / "strata.json"

    @property
    def log(self) -> Path:
        return self.venv / "setup.log"

    def lock(self, name: str) -> Path:
        return self.top / ".ci" / f"{name}.lock"

    def contents(self) -> list[str]:
        folders = [*self.venv.glob("lib/python*/site-packages"), self.venv / "Lib/site-packages"]
        return sorted(
            entry.name for folder in folders if folder.is_dir() for entry in folder.iterdir()
        )


# --- is it ready? ---


def wanted(place: Place, dev: bool) -> dict[str, str]:
    """What an environment made now would be made from."""
    project = tomllib.loads((place.top / "pyproject.toml").read_text("utf-8"))
    version = re.search(r"^## (\S+)", (place.top / "CHANGELOG.md").read_text("utf-8"), re.M)
    parts = [
        project.get("project"),
        project.get("build-system"),
        project.get("tool", {}).get("hatch"),
    ]
    described = [*parts, version and version[1]]
    marks = {
        "place": str(place.top),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "packages": _digest(place.lock("requirements").read_bytes()),
        "project": _digest(json.dumps(described, sort_keys=True).encode()),
    }
    return {**marks, "tests": _digest(place.lock("dev").read_bytes())} if dev else marks


def recorded(place: Place) -> dict[str, str]:
    """What the environment was made from; empty unless it was finished and is still whole."""
    try:
        state = json.loads(place.state.read_text("utf-8"))
        whole = set(state["contents"]) <= set(place.contents())
        return state["marks"] if whole and (place.venv / "pyvenv.cfg").is_file() else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def is_ready(place: Place, dev: bool) -> bool:
    return wanted(place, dev).items() <= recorded(place).items()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


# --- making it ---


def make(place: Place, dev: bool) -> None:
    with _alone(place) as lock:
        if is_ready(place, dev) and _runs(place):
            return
        began = time.monotonic()
        marks, done = wanted(place, dev), recorded(place)
        place.state.unlink(missing_ok=True)
        if not _fits(place, marks, done):
            done = {}
            _require_room(place)
            _make_empty(place, lock)
        for mark, install in (("packages", _packages), ("project", _project), ("tests", _tests)):
            if mark in marks and marks[mark] != done.get(mark):
                install(place, lock)
        _record(place, {**done, **marks})
        say(f"Set up in {clock(time.monotonic() - began)}.")


def _fits(place: Place, marks: Mapping[str, str], done: Mapping[str, str]) -> bool:
    """Whether what is there can be brought up to date, not made anew (moved, half-made, broken)."""
    return all(done.get(mark) == marks[mark] for mark in ("place", "python")) and _runs(place)


def _runs(place: Place) -> bool:
    try:
        command = [str(place.python), "-m", "pip", "--version"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _make_empty(place: Place, lock: int) -> None:
    place.venv.mkdir(exist_ok=True)
    for entry in place.venv.iterdir():  # not the folder itself: it may be a link to another disk
        shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    version = ".".join(map(str, sys.version_info[:3]))
    command = [sys.executable, "-m", "venv", str(place.venv)]
    label = f"Making .venv with Python {version} ({sys.executable})"
    run(label, command, place.log, os.environ, _kept(lock))


def _packages(place: Place, lock: int) -> None:
    pins = place.lock("requirements").read_text("utf-8").splitlines(keepends=True)
    engine = [pin for pin in pins if pin.startswith(ENGINE)]
    built = _built_earlier(place, engine)
    if engine and not built:
        _require_compiler()
    libraries = place.venv / "libraries.txt"
    libraries.write_text("".join(pin for pin in pins if pin not in engine), "utf-8")
    _pip(f"Installing {len(pins) - len(engine)} libraries", place, lock, "-r", str(libraries))
    for pin in engine:
        label = f"Installing {ENGINE}" if built else f"Building {ENGINE} (5 to 10 minutes)"
        _pip(label, place, lock, "-v", pin.split()[0])


def _project(place: Place, lock: int) -> None:
    _pip("Installing Strata from this folder", place, lock, "-e", str(place.top))


def _tests(place: Place, lock: int) -> None:
    _pip("Installing what the tests need", place, lock, "-r", str(place.lock("dev")))


def _record(place: Place, marks: Mapping[str, str]) -> None:
    beside = place.state.with_suffix(".new")
    beside.write_text(json.dumps({"marks": marks, "contents": place.contents()}), "utf-8")
    beside.replace(place.state)


@contextlib.contextmanager
def _alone(place: Place) -> Iterator[int]:
    """One set-up at a time in a clone. The lock is handed to every child, so that pip left behind
    by a killed set-up still counts."""
    with (place.top / ".ci/environment.py").open("rb") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("Another set-up is running in this folder; waiting for it.")
                fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def pip_environment(place: Place, environ: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment without what would send packages elsewhere; index settings stay."""
    unwanted = {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PYTHONPATH", "PYTHONHOME"}
    limits = place.lock("build").as_uri()  # an address, as pip splits a path at its spaces
    return {
        **{"CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 1)},
        **{name: value for name, value in environ.items() if name not in unwanted},
        **{"PIP_USER": "0", "PIP_CONSTRAINT": limits, "PIP_BUILD_CONSTRAINT": limits},
        **{"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"},
    }


def _pip(label: str, place: Place, lock: int, *arguments: str) -> None:
    command = [str(place.python), "-m", "pip", "install", "--no-deps", *arguments]
    run(label, command, place.log, pip_environment(place, os.environ), _kept(lock))


def _kept(lock: int) -> tuple[int, ...]:
    return () if fcntl is None else (lock,)


# --- what must be there ---


def _require_room(place: Place) -> None:
    disks: dict[int, list[tuple[Path, int]]] = {}
    for folder, use in ((place.top, "environment"), (Path(tempfile.gettempdir()), "build")):
        disks.setdefault(folder.stat().st_dev, []).append((folder, ROOM_MB[use]))
    for parts in disks.values():
        folder, need = parts[0][0], sum(room for _, room in parts)
        free = shutil.disk_usage(folder).free // 2**20
        if free < need:
            raise Trouble(
                f"{folder} has {free:,} MB free; the set-up takes up to {need:,} MB.\n"
                "Make room and run this again."
            )


def _built_earlier(place: Place, engine: list[str]) -> bool:
    """Whether pip still has the wheel of an earlier build, in another clone perhaps."""
    command = [str(place.python), "-m", "pip", "cache", "list", "llama_cpp_python"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return any(pin.split()[0].split("==")[1] in listed for pin in engine)


def _require_compiler() -> None:
    missing = [
        kind
        for kind, names, source in (
            ("C", [os.environ.get("CC", ""), "cc", "gcc", "clang"], "#include <stdio.h>"),
            ("C++", [os.environ.get("CXX", ""), "c++", "g++", "clang++"], "#include <vector>"),
        )
        if not any(_compiles(name, kind, source) for name in names if name)
    ]
    if missing and os.name != "nt":
        raise Trouble(
            f"No working {' and '.join(missing)} compiler was found; {ENGINE} is built with it.\n"
            "Install one (Debian, Ubuntu: apt install build-essential; Fedora: dnf install gcc-c++;"
            " macOS: xcode-select --install) and run this again."
        )


def _compiles(compiler: str, kind: str, source: str) -> bool:
    language = {"C": "c", "C++": "c++"}[kind]
    command = [*compiler.split(), "-x", language, "-fsyntax-only", "-"]
    text = f"{source}\nint main() {{ return 0; }}\n"
    try:
        done = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    place, dev = Place(Path(__file__).resolve().parent.parent), "--dev" in arguments
    if arguments[:1] == ["ready"]:
        return 0 if Path(sys.prefix) == place.venv.resolve() and is_ready(place, dev) else 1
    for ending in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, ending):
            signal.signal(getattr(signal, ending), signal.default_int_handler)
    try:
        make(place, dev)
    except KeyboardInterrupt:
        say("\nStopped. Run the same command again to go on.")
        return 130
    except Trouble as trouble:
        say(str(trouble))
        return 1
    except OSError as error:
        say(f"The set-up could not go on: {error}.\nMend that and run this again.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
