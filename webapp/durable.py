"""Writing that is whole or not at all, and errors of the disk in words.

What fails is taken back, also when only the directory could not be synced: nothing was saved, and
that is what is said. Where taking back fails too, that is said instead.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from webapp.errors import StorageFailed

_BINARY: Final = getattr(os, "O_BINARY", 0)
_FULL: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_REFUSED: Final = {errno.EROFS, errno.EACCES, errno.EPERM}
_GONE: Final = {errno.ENOENT, errno.ENOTDIR, errno.ESTALE, errno.ENODEV}


ANYONES: Final = 0o666
OWN: Final = 0o600


def append(path: Path, data: bytes, *, durable: bool, mode: int = ANYONES) -> None:
    """Add bytes at the end of a file, in one write, on a fresh line. Takes back a half write.
    `mode` is who may read a new file, as far as the system lets them.

    Raises StorageFailed with the file as it was."""
    with saving(path):
        new = not path.exists()
        with _or_else(lambda: path.unlink() if new and path.exists() else None):
            _append_whole(path, data, durable, mode)
            if new:
                sync_directory(path.parent)


def replace(path: Path, data: bytes, *, mode: int = ANYONES) -> None:
    """The file's new content; after a crash it has the old or the new one. Durable.

    Raises StorageFailed with the old one."""
    with saving(path), _still_open(path) as old:
        _put(path, data, mode)
        with _or_else(lambda: path.unlink() if old is None else _put(path, _content(old), mode)):
            sync_directory(path.parent)


def move(source: Path, target: Path) -> None:
    """Give a file or folder another name, durably. Raises StorageFailed with the old name."""
    move_all([(source, target)])


def move_all(names: Sequence[tuple[Path, Path]]) -> None:
    """The same for several, given as (source, target): all of them or none."""
    moved: list[tuple[Path, Path]] = []
    for _, first in names[:1]:
        with saving(first, "Nothing was moved"), _or_else(lambda: _move_back(moved)):
            for source, target in names:
                source.rename(target)
                moved.append((source, target))
            for folder in {each.parent for pair in names for each in pair}:
                sync_directory(folder)


def size(path: Path) -> int:
    """In bytes; 0 for a file that is not there."""
    with reading(path):
        return path.stat().st_size if path.exists() else 0


def cut(path: Path, size: int) -> None:
    """Take back what was appended. Works on a full disk. Raises StorageFailed when it does not."""
    try:
        if path.exists() and path.stat().st_size > size:
            os.truncate(path, size)
    except OSError as error:
        raise _in_words(_InDoubtError(error.errno, error.strerror), path, "") from error


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
def saving(path: Path, nothing: str = "Nothing was saved") -> Iterator[None]:
    """Turn errors of the operating system into StorageFailed, which says that nothing was done."""
    try:
        yield
    except OSError as error:
        raise _in_words(error, path, nothing) from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors of the operating system into StorageFailed: it could not be read."""
    try:
        yield
    except OSError as error:
        what = f"{path} could not be read: {_reason(error, path)}."
        raise StorageFailed(what, _way_out(error)) from error


def _append_whole(path: Path, data: bytes, durable: bool, mode: int) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _BINARY, mode)
    try:
        size = os.fstat(descriptor).st_size
        with _or_else(lambda: os.ftruncate(descriptor, size)):
            _write_all(descriptor, _line_end_if_torn(descriptor, size) + data)
            if durable:
                os.fsync(descriptor)
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


class _InDoubtError(OSError):
    """What failed could not be taken back."""


@contextmanager
def _or_else(take_back: Callable[[], object]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        try:
            take_back()
        except OSError:
            raise _InDoubtError(error.errno, error.strerror) from error
        raise


def _move_back(moved: Sequence[tuple[Path, Path]]) -> None:
    for source, target in reversed(moved):
        target.rename(source)


@contextmanager
def _still_open(path: Path) -> Iterator[int | None]:
    """A file that may be replaced meanwhile, or None where there is none, or where the directory
    cannot be synced anyway (Windows, which replaces no open file)."""
    try:
        descriptor = None if os.name == "nt" else os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        descriptor = None
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _content(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read()


def _put(path: Path, data: bytes, mode: int) -> None:
    beside = path.with_name(path.name + ".new")
    try:
        _write_new(beside, data, mode)
        beside.replace(path)
    except OSError:
        with suppress(OSError):
            beside.unlink()
        raise


def _write_new(path: Path, data: bytes, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, mode)
    try:
        _write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _in_words(error: OSError, path: Path, nothing: str) -> StorageFailed:
    if isinstance(error, _InDoubtError):
        return StorageFailed(
            f"It is not certain what was saved: {_reason(error, path)}.",
            "Check the disk, then look at what is there before you try again.",
        )
    return StorageFailed(f"{nothing}: {_reason(error, path)}.", _way_out(error))


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
