"""One process per data directory: a lock of the operating system, which dies with its holder."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.errors import AlreadyRunning

FILE: Final = "instance.lock"

# Windows locks bytes, and a locked byte cannot be read: lock one that is never written.
_LOCKED_BYTE: Final = 1 << 30

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class InstanceLock:
    """Held from construction to `release`, or until the process ends in whatever way.

    Raises AlreadyRunning, which names the holder, or StorageFailed."""

    def __init__(self, root: Path) -> None:
        path = root / FILE
        with durable.saving(path):
            root.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                self._take(path)
                self.announce("")
            except BaseException:
                os.close(self._descriptor)
                raise

    def announce(self, address: str) -> None:
        """Tell others where this instance answers, once that is known."""
        text = json.dumps({"pid": os.getpid(), "address": address}).encode()
        with durable.saving(Path(FILE)):
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, text)

    def release(self) -> None:
        """Idempotent. The file stays: removing it could take away the lock of another."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            with suppress(OSError):
                os.ftruncate(descriptor, 0)
            os.close(descriptor)

    def _take(self, path: Path) -> None:
        try:
            _try_lock(self._descriptor)
        except (BlockingIOError, PermissionError):
            raise _taken(path) from None


def holder(root: Path) -> str:
    """Who runs on a data directory, in a sentence; empty when nobody does. Writes nothing."""
    try:
        descriptor = os.open(root / FILE, os.O_RDONLY)
    except OSError:
        return ""
    try:
        _try_lock(descriptor)
    except (BlockingIOError, PermissionError):
        return _taken(root / FILE).what
    finally:
        os.close(descriptor)
    return ""


def maintainer(root: Path) -> str:
    """Who holds a data directory without serving it (it moves or mends threads, or has not started
    yet), in a sentence; empty when nobody does. Writes nothing."""
    pid, address = _holder(root / FILE)
    if address or not holder(root):
        return ""
    return f"{f'Process {pid}' if pid else 'Another process'} of Strata is at work on {root}."


def _taken(path: Path) -> AlreadyRunning:
    pid, address = _holder(path)
    where = f" at {address}" if address else ""
    who = f"process {pid}{where}" if pid else "another process"
    return AlreadyRunning(
        f"Strata is already running on {path.parent}: {who}.",
        f"Use the one{where}, stop it first, or choose another directory with --data.",
    )


def _holder(path: Path) -> tuple[int, str]:
    try:
        value = json.loads(path.read_text("utf-8"))
        return int(value["pid"]), str(value["address"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0, ""
