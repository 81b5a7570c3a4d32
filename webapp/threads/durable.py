"""Writing that is whole or not at all, and errors of the disk in words."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from webapp.errors import StorageFailed

_BINARY: Final = getattr(os, "O_BINARY", 0)
_FULL: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_REFUSED: Final = {errno.EROFS, errno.EACCES, errno.EPERM}
_GONE: Final = {errno.ENOENT, errno.ENOTDIR, errno.ESTALE, errno.ENODEV}


def append(path: Path, data: bytes, *, durable: bool) -> None:
    """Add bytes at the end of a file, in one write, on a fresh line. Takes back a half write.

    Raises StorageFailed with the file as it was."""
    with saving(path):
        new = not path.exists()
        try:
            _append_whole(path, data, durable)
            if new:
                sync_directory(path.parent)
        except OSError:
            if new:
                with suppress(OSError):
                    path.unlink()
            raise


def replace(path: Path, data: bytes) -> None:
    """The file's new content; after a crash it has the old or the new one. Durable."""
    beside = path.with_name(path.name + ".new")
    with saving(path):
        try:
            _write_new(beside, data)
            beside.replace(path)
        except OSError:
            with suppress(OSError):
                beside.unlink()
            raise
        sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make names in a directory durable; Windows has no such call and needs none."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def saving(path: Path) -> Iterator[None]:
    """Turn errors of the operating system into StorageFailed: nothing was saved."""
    try:
        yield
    except OSError as error:
        raise StorageFailed(
            f"Nothing was saved: {_reason(error, path)}.", _way_out(error)
        ) from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors of the operating system into StorageFailed: it could not be read."""
    try:
        yield
    except OSError as error:
        what = f"{path} could not be read: {_reason(error, path)}."
        raise StorageFailed(what, _way_out(error)) from error


def _append_whole(path: Path, data: bytes, durable: bool) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _BINARY, 0o666)
    try:
        size = os.fstat(descriptor).st_size
        try:
            _write_all(descriptor, _line_end_if_torn(descriptor, size) + data)
            if durable:
                os.fsync(descriptor)
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)


def _line_end_if_torn(descriptor: int, size: int) -> bytes:
    if size == 0:
        return b""
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return b"" if os.read(descriptor, 1) == b"\n" else b"\n"


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _write_new(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, 0o666)
    try:
        _write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _reason(error: OSError, path: Path) -> str:
    if error.errno in _FULL:
        return "the disk is full"
    if error.errno in _REFUSED:
        return f"{path.parent} does not allow it"
    if error.errno in _GONE:
        return f"{path} is not there"
    return f"the disk answered “{error.strerror or error}” for {path}"


def _way_out(error: OSError) -> str:
    if error.errno in _FULL:
        return "Free some space and try again."
    if error.errno in _REFUSED:
        return "Check the permissions of the data directory and try again."
    if error.errno in _GONE:
        return "Check that the data directory is where it was and try again."
    return "Check the disk and try again."
