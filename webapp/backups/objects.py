"""Pieces of files under their sha256: each is there once, whole, and never changed.

A piece appears under its name when it is on the disk and was read back, so whatever ends a run,
what is there can be used by the next one.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.errors import StorageFailed

_BINARY: Final = getattr(os, "O_BINARY", 0)
_NAME: Final = re.compile("[0-9a-f]{62}")


class Objects:
    """Those in `folder`; `partial` is where they are written first. Raises OSError for what the
    disk refuses."""

    def __init__(self, folder: Path, partial: Path) -> None:
        self._folder = folder
        self._partial = partial
        self._touched: set[Path] = set()

    def sizes(self) -> dict[str, int]:
        """All that are there, with their bytes."""
        found = {}
        for each in self._folder.glob("[0-9a-f][0-9a-f]"):
            with os.scandir(each) as names:
                for name in names:
                    if _NAME.fullmatch(name.name):
                        found[each.name + name.name] = name.stat().st_size
        return found

    def put(self, digest: str, data: bytes) -> None:
        """Durable after `settle`. Raises StorageFailed when the disk gives back something else."""
        new, path = self._partial / digest, self._path(digest)
        _write(new, data)
        if new.read_bytes() != data:
            raise strange(self._folder.parent)
        if not path.parent.is_dir():
            path.parent.mkdir(mode=0o700)
            self._touched.add(self._folder)
        new.replace(path)
        self._touched.add(path.parent)

    def settle(self) -> None:
        """After this, all that was put is there whatever happens."""
        for folder in sorted(self._touched):
            durable.sync_directory(folder)
        self._touched.clear()

    def read(self, digest: str) -> bytes | None:
        """None when it is missing, damaged, or cannot be read."""
        try:
            data = self._path(digest).read_bytes()
        except OSError:
            return None
        return data if hashlib.sha256(data).hexdigest() == digest else None

    def remove(self, digest: str) -> None:
        self._path(digest).unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest[2:]


def strange(folder: Path) -> StorageFailed:
    """What was written is read back as something else."""
    return StorageFailed(
        f"{folder} does not return what was written to it.",
        "Its disk is failing: use another disk.",
    )


def _write(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY
    descriptor = os.open(path, flags, durable.OWN)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
        if hasattr(os, "posix_fadvise"):  # so that it is the disk that is read, not the memory
            with suppress(OSError):
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)
