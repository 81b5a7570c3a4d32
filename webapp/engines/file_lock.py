"""A lock between processes (and threads) that ends with its holder, however that ends."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: BinaryIO) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def holding(path: Path, wait: Callable[[], None]) -> Iterator[None]:
    """Hold the lock on `path`. `wait` is called each time somebody else has it: it passes a
    moment, or raises to give up. The empty file stays: deleting it would let two hold it."""
    with path.open("ab") as file:
        while not _try_lock(file):
            wait()
        yield
