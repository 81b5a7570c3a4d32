"""Letters in pictures, by the tesseract of the machine, if there is one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from typing import Final

_MOST_LANGUAGES: Final = 6
_NO_LANGUAGES: Final = ("osd", "equ")
# Chinese and Japanese have no spaces between words; the program puts some between characters.
_WIDE: Final = "[\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff60]"
_SPLIT: Final = re.compile(f"(?<={_WIDE}) +(?={_WIDE})")


def is_available() -> bool:
    return _program() is not None and bool(_languages())


def read_picture(picture: bytes, seconds: float) -> str:
    """What a picture (PNG, JPEG or PGM) says; empty when nothing could be read in that time."""
    program = _program()
    if program is None:
        return ""
    command = [program, "stdin", "stdout", "-l", "+".join(_languages())]
    return _SPLIT.sub("", _output(command, picture, seconds))


@cache
def _program() -> str | None:
    return shutil.which("tesseract")


@cache
def _languages() -> tuple[str, ...]:
    """English first, if it is there: words in Latin letters stand in texts of any language."""
    listed = _output([_program() or "", "--list-langs"], b"", 10.0).splitlines()[1:]
    found = sorted({name.strip() for name in listed if name.strip()} - {*_NO_LANGUAGES})
    found.sort(key=lambda name: name != "eng")
    return tuple(found[:_MOST_LANGUAGES])


def _output(command: list[str], given: bytes, seconds: float) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - a program of the machine, no shell
            command,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
