"""Runs a converter in a process of its own: it takes seconds of pure computing and hundreds of
megabytes, neither of which the server should feel."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from webapp.engines.progress import Meter
from webapp.errors import Damaged

CONVERTERS = {"e5": "webapp.engines.convert_e5", "minilm": "webapp.engines.convert_minilm"}
_PACKAGE_PARENT = Path(__file__).parents[2]


def run_conversion(converter: str, source: Path, target: Path, meter: Meter) -> None:
    """Raises Damaged when the source cannot be converted, Stopped when told to stop. `target`
    may be half there in both cases: the caller gives a name nobody reads."""
    path = os.pathsep.join(filter(None, (str(_PACKAGE_PARENT), os.environ.get("PYTHONPATH"))))
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(  # noqa: S603 - our own interpreter, no shell
            [sys.executable, "-m", __name__, converter, str(source), str(target)],
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        _wait(child, source.stat().st_size, meter)
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace").strip().splitlines()
    if child.returncode != 0:
        raise Damaged(
            f"{source.name} could not be converted: {said[-1] if said else child.returncode}.",
            do="Remove it from the models folder and fetch the model again.",
        )


def _wait(child: subprocess.Popen[bytes], size: int, meter: Meter) -> None:
    try:
        while child.poll() is None:
            meter.report("converting", 0, size)
            try:
                child.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
        meter.report("converting", size, size)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


def main(converter: str, source: str, target: str) -> None:
    """The child's whole life."""
    importlib.import_module(CONVERTERS[converter]).convert(Path(source), Path(target))


if __name__ == "__main__":
    main(*sys.argv[1:])
