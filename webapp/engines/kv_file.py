"""A model's memory as a file: the tokens it stands for, then the state of the engine.

Both are under a sha256, and nothing is handed out that does not match it: what the engine does with
damaged bytes is not ours to know. A file is written beside and renamed, so that it is whole or not
there; it is not forced to the disk, because what a power cut tears is found out by reading.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
import tempfile
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Final, NamedTuple

SUFFIX: Final = ".kv"
PART_SUFFIX: Final = ".part"

_MAGIC: Final = b"STRATAKV"
_VERSION: Final = 1
# Magic, version, bytes of tokens, bytes of state, whose state it is, sha256 of the state; after
# it the sha256 of that and the tokens, then the tokens, then the state.
_FACTS: Final = struct.Struct("<8sIIQ32s32s")
_DIGEST: Final = 32
_SLICE: Final = 4 << 20
_BINARY: Final = getattr(os, "O_BINARY", 0)
_NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0)


class _Head(NamedTuple):
    tokens: bytes
    state_bytes: int
    state_digest: bytes


def write(
    path: Path, identity: bytes, tokens: bytes, state: bytearray, wanted: Callable[[], bool]
) -> bool:
    """False if it was given up half-way because `wanted()`. OSError if the disk refused."""
    descriptor, name = tempfile.mkstemp(PART_SUFFIX, dir=path.parent)  # for its owner only
    beside = Path(name)
    try:
        with FileIO(descriptor, "wb") as file:
            written = _write_all_of_it(file, identity, tokens, state, wanted)
        if written:
            beside.replace(path)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
    return written


def _write_all_of_it(
    file: FileIO, identity: bytes, tokens: bytes, state: bytearray, wanted: Callable[[], bool]
) -> bool:
    digest, left = hashlib.sha256(), memoryview(state)
    _write_all(file, bytes(_FACTS.size + _DIGEST) + tokens)
    while left:
        if wanted():
            return False
        digest.update(left[:_SLICE])
        _write_all(file, left[:_SLICE])
        left = left[_SLICE:]
    facts = _FACTS.pack(_MAGIC, _VERSION, len(tokens), len(state), identity, digest.digest())
    file.seek(0)
    _write_all(file, facts + hashlib.sha256(facts + tokens).digest())
    return True


def _write_all(file: FileIO, data: bytes | memoryview) -> None:
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def read_tokens(path: Path, identity: bytes) -> bytes:
    """What the state stands for. ValueError if it is no whole file of ours, or of another model;
    OSError if it cannot be read. The state itself is not looked at."""
    with _opened(path) as file:
        return _read_head(file, identity).tokens


def read_state(path: Path, identity: bytes, tokens: bytes) -> bytearray:
    """The state of these tokens, checked byte by byte. Errors as in `read_tokens`."""
    with _opened(path) as file:
        head = _read_head(file, identity)
        if head.tokens != tokens:
            raise ValueError("it stands for other tokens")
        state = bytearray(head.state_bytes)
        if _fill(file, state) != head.state_digest:
            raise ValueError("it is damaged")
        return state


def _opened(path: Path) -> FileIO:
    """Without waiting for the other end of what is no file at all."""
    file = FileIO(os.open(path, os.O_RDONLY | _BINARY | _NO_WAIT), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError("it is not a file")
    return file


def _read_head(file: FileIO, identity: bytes) -> _Head:
    raw = file.read(_FACTS.size + _DIGEST)
    if len(raw) < _FACTS.size + _DIGEST:
        raise ValueError("it ends too early")
    facts, digest = raw[: _FACTS.size], raw[_FACTS.size :]
    magic, version, token_bytes, state_bytes, owner, state_digest = _FACTS.unpack(facts)
    if (magic, version, owner) != (_MAGIC, _VERSION, identity):
        raise ValueError("it belongs to another model or version")
    if os.fstat(file.fileno()).st_size != len(raw) + token_bytes + state_bytes:
        raise ValueError("it does not have its size")
    tokens = file.read(token_bytes)
    if hashlib.sha256(facts + tokens).digest() != digest:
        raise ValueError("it is damaged")
    return _Head(tokens, state_bytes, state_digest)


def _fill(file: FileIO, state: bytearray) -> bytes:
    """Read the rest of the file into `state`; its sha256."""
    digest, left = hashlib.sha256(), memoryview(state)
    while left:
        size = file.readinto(left[:_SLICE])
        if not size:
            break
        digest.update(left[:size])
        left = left[size:]
    return digest.digest()
