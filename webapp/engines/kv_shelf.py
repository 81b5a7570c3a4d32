"""The kept states of a model's memory: a folder with a quota, and which of them helps a prompt.

`<folder>/<identity>/<tokens>.kv`: each model, with all that changes what it computes, has a folder
of its own; the quota is for all together, and what was not used for longest goes first. Nothing
here may fail a question: without a disk there are no files, and that is all.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from webapp.engines.kv_file import PART_SUFFIX, SUFFIX, read_state, read_tokens, write

TOKEN_BYTES: Final = 4

# Fewer new tokens than these are read again sooner than they are looked up.
_FEW: Final = 16
# A file being handed to the engine; one that is found so at the start ended the engine.
_LENT_SUFFIX: Final = ".lent"
# What was said is not kept in this form for longer than a deleted thread is.
_SECONDS_TO_KEEP: Final = 30 * 24 * 3600


class Saved(NamedTuple):
    """A file, all tokens it stands for, and how many of them a prompt begins with."""

    path: Path
    tokens: bytes
    shared: int


class KvShelf:
    """The files of one identity. `partly` says whether a model can forget the end of a state;
    one that cannot has no use for a state unless the prompt begins with all of it."""

    def __init__(self, folder: Path, most_bytes: int, identity: bytes, *, partly: bool) -> None:
        self._all = folder
        self._most_bytes = most_bytes
        self._identity = identity
        self._partly = partly
        self._own = folder / identity.hex()[:32]
        self._known: dict[Path, bytes] = {}
        with suppress(OSError):
            self._sweep()
            for path in sorted(self._own.glob(f"*{SUFFIX}")):
                self._learn(path)
        self._make_room(0)

    def best(self, wanted: bytes, at_least: int) -> Saved | None:
        """The file that shares most tokens with the beginning of `wanted`, and `at_least` so
        many. It counts as used."""
        shares = [
            (usable(tokens, wanted, partly=self._partly), path)
            for path, tokens in self._known.items()
        ]
        shared, path = max(shares, default=(0, None))
        if path is None or shared < max(at_least, 1):
            return None
        with suppress(OSError):
            os.utime(path)
        return Saved(path, self._known[path], shared)

    def is_kept(self, tokens: bytes) -> bool:
        """Whether all of `tokens`, or all but a few, are in one file already."""
        if not self._partly:
            return tokens in self._known.values()
        most = max((shared_beginning(known, tokens) for known in self._known.values()), default=0)
        return len(tokens) // TOKEN_BYTES - most < _FEW

    def save(self, tokens: bytes, state: bytearray, wanted: Callable[[], bool]) -> None:
        """Keep a state, unless `wanted()` meanwhile or the disk refuses."""
        path = self._own / f"{hashlib.sha256(tokens).hexdigest()[:32]}{SUFFIX}"
        if not self._make_room(len(state) + len(tokens)):
            return
        with suppress(OSError):
            self._own.mkdir(mode=0o700, parents=True, exist_ok=True)
            if write(path, self._identity, tokens, state, wanted):
                self._forget_beginnings_of(tokens)
                self._known[path] = tokens

    def lend(self, saved: Saved) -> bytearray | None:
        """The checked state; None, with the file gone, if there is none. To be followed by
        `take_back`: a state that ends the engine must not be tried a second time."""
        try:
            state = read_state(saved.path, self._identity, saved.tokens)
            saved.path.rename(saved.path.with_suffix(_LENT_SUFFIX))
        except MemoryError:
            return None
        except (OSError, ValueError):
            self._drop(saved.path)
            return None
        return state

    def take_back(self, saved: Saved, *, usable: bool) -> None:
        lent = saved.path.with_suffix(_LENT_SUFFIX)
        with suppress(OSError):
            if usable:
                lent.rename(saved.path)
                return
            lent.unlink()
        self._drop(saved.path)

    def _learn(self, path: Path) -> None:
        try:
            self._known[path] = read_tokens(path, self._identity)
        except (OSError, ValueError):
            self._drop(path)

    def _drop(self, path: Path) -> None:
        self._known.pop(path, None)
        with suppress(OSError):
            path.unlink()

    def _forget_beginnings_of(self, tokens: bytes) -> None:
        """Files that this state makes needless: all but a few of their tokens are its own."""
        if not self._partly:
            return
        for path, known in list(self._known.items()):
            if len(known) // TOKEN_BYTES - shared_beginning(known, tokens) < _FEW:
                self._drop(path)

    def _sweep(self) -> None:
        """Remove what a killed program left, and what is too old to be kept."""
        oldest = time.time() - _SECONDS_TO_KEEP
        for path in self._all.glob("*/*"):
            left = path.suffix in (PART_SUFFIX, _LENT_SUFFIX)
            with suppress(OSError):
                if left or (path.suffix == SUFFIX and path.lstat().st_mtime < oldest):
                    path.unlink()

    def _make_room(self, size: int) -> bool:
        """Let the least used files go until `size` more bytes are within the quota."""
        if size > self._most_bytes:
            return False
        files = sorted(_files(self._all))
        total = sum(file_size for _, file_size, _ in files) + size
        for _, file_size, path in files:
            if total <= self._most_bytes:
                break
            self._drop(path)
            total -= file_size
        return True


def usable(tokens: bytes, wanted: bytes, *, partly: bool) -> int:
    """How many tokens of a state of `tokens` can be kept for a prompt that begins so."""
    shared = shared_beginning(tokens, wanted)
    return shared if partly or shared * TOKEN_BYTES == len(tokens) else 0


def shared_beginning(one: bytes, other: bytes) -> int:
    """How many tokens two rows of them begin with together, found by halving."""
    views = memoryview(one), memoryview(other)
    low, high = 0, min(len(one), len(other)) // TOKEN_BYTES
    while low < high:
        middle = (low + high + 1) // 2
        part = slice(low * TOKEN_BYTES, middle * TOKEN_BYTES)
        low, high = (middle, high) if views[0][part] == views[1][part] else (low, middle - 1)
    return low


def _files(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """Time of last use, bytes and path of every state of every model."""
    with suppress(OSError):
        for path in folder.glob(f"*/*{SUFFIX}"):
            with suppress(OSError):
                facts = path.lstat()
                yield facts.st_mtime, facts.st_size, path
