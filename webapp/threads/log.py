"""The lines of `messages.jsonl`: how a record becomes bytes, and what bytes mean. No files here.

A line is one JSON object: a whole message (it has a `role`), or `{"id","patch":{"metadata":…}}`,
`{"id","append":"…"}`, `{"id","deleted":true}`. A line of ours ends with members that belong to
the line and not to the message: `"at"` (milliseconds) and `"crc"` (CRC-32 of the line without
that last member), before them `"act"` when a named act wrote it. They are taken off as text, so
that a message may have fields of the same names. Lines of other programs have none of them.
"""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webapp.chat.messages import Message
from webapp.chat.records import Append, Delete, Patch, Put, Record
from webapp.errors import BadInput
from webapp.threads import exact

SINCE_EVER: Final = 0

_CRC: Final = re.compile(rb',\s*"crc"\s*:\s*(\d{1,10})\s*\}\Z')
_AT: Final = re.compile(rb',\s*"at"\s*:\s*(\d{1,16})\Z')
_ACT: Final = re.compile(rb',"act":"((?:[^"\\]|\\.)*)"\Z')
_RECORD_START: Final = re.compile(rb'\{\s*"id"')
_MOST_RESCUES: Final = 16


class UnreadableError(ValueError):
    """These bytes are no record."""


@dataclass(frozen=True, slots=True)
class Act:
    """The named act a line belongs to. Only its first line says `what` it was and what became of
    the thread's active root, as (before, after)."""

    id: str
    what: str = ""
    root: tuple[str | None, str | None] | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One record as it stood in the file. `body` is its object's text without the closing brace
    and without our members; `ours` tells that it carried a checksum; `size` in bytes."""

    record: Record
    body: bytes
    at: int
    act: Act | None
    ours: bool
    size: int


def encode(records: Sequence[Record], at: int, act: Act | None) -> list[bytes]:
    """One line per record, each with its line end. Raises BadInput for what could not be read
    back."""
    lines = []
    for record in records:
        lines.append(seal(body_of(record), at, act))
        act = Act(act.id) if act else None
    return lines


def body_of(record: Record) -> bytes:
    """The record's text without its closing brace. Raises BadInput."""
    try:
        body = exact.encoded(exact.dumps(_value(record)))[:-1]
    except ValueError:
        raise BadInput("This message is nested too deeply to be saved.") from None
    if not isinstance(record, Put) or _is_message(record.message):
        return body
    raise BadInput("A message needs an id and a role, both of them text.")


def seal(body: bytes, at: int, act: Act | None = None) -> bytes:
    """A whole line from an object's text without its closing brace."""
    if act is not None or b'"act"' in body:
        body += b',"act":' + exact.encoded(exact.dumps(_act_text(act)))
    body += b',"at":%d' % at
    return body + b',"crc":%d}\n' % zlib.crc32(b"}", zlib.crc32(body))


def unseal(text: bytes) -> tuple[bytes, int, Act | None, bool]:
    """An object's text without its closing brace and our members; when it was written, by which
    act, and whether it carried a checksum. Raises UnreadableError when that does not fit."""
    crc = _CRC.search(text, max(0, len(text) - 64))
    if crc is None:
        if not text.endswith(b"}"):
            raise UnreadableError
        return text[:-1].rstrip(), SINCE_EVER, None, False
    body = text[: crc.start()]
    if zlib.crc32(b"}", zlib.crc32(body)) != int(crc[1]):
        raise UnreadableError
    at = _AT.search(body, max(0, len(body) - 64))
    if at is None:
        return body, SINCE_EVER, None, True
    body, act = _without_act(body[: at.start()])
    return body, int(at[1]), act, True


def decode(line: bytes) -> Line | None:
    """The record of a line with or without its line end; None for a blank one.

    NULs around a record, left by a power cut, are no part of it. Raises UnreadableError."""
    text = line.strip(b"\0 \t\r\n").removeprefix(codecs.BOM_UTF8)
    if not text:
        if b"\0" in line:
            raise UnreadableError
        return None
    body, at, act, ours = unseal(text)
    return Line(_record(_parsed(body)), body, at, act, ours, len(line))


def read(raw_lines: Iterable[bytes], damaged: list[bytes]) -> Iterator[Line]:
    """The records in the lines of a file; bytes that are none are added to `damaged`."""
    for raw in raw_lines:
        try:
            line = decode(raw)
        except UnreadableError:
            yield from _rescued(raw, damaged)
        else:
            if line is not None:
                yield line


def has_checksum(line: bytes) -> bool:
    """True for a line that ends with one, right or wrong."""
    return _CRC.search(line, max(0, len(line) - 64)) is not None


def names_an_act(line: bytes) -> bool:
    """A quick look before decoding: False only if the line belongs to no act."""
    return b',"act":"[' in line


def _rescued(raw: bytes, damaged: list[bytes]) -> Iterator[Line]:
    """What is whole at the end of an unreadable line, and in what is before it.

    A program that appends after a torn line glues its record to the rest of it."""
    starts = [found.start() for found in _RECORD_START.finditer(raw)]
    for start in reversed(starts[1:][-_MOST_RESCUES:]):
        try:
            line = decode(raw[start:])
        except UnreadableError:
            continue
        if line is not None:
            yield from read([raw[:start]], damaged)
            yield line
            return
    damaged.append(raw.rstrip(b"\n"))


def _without_act(body: bytes) -> tuple[bytes, Act | None]:
    start = body.rfind(b',"act":"') if body.endswith(b'"') else -1
    found = _ACT.match(body, start) if start >= 0 else None
    if found is None:
        return body, None
    return body[:start], _act(found[0][len(b',"act":') :])


def _act_text(act: Act | None) -> str:
    if act is None:
        return ""
    members: list[object] = [act.id]
    if act.what or act.root:
        members.append(act.what)
    if act.root:
        members.append(list(act.root))
    return exact.dumps(members)


def _act(quoted: bytes) -> Act | None:
    try:
        members = exact.loads(exact.loads(quoted.decode("utf-8")))
    except ValueError:
        return None
    match members:
        case [str(id)]:
            return Act(id)
        case [str(id), str(what)]:
            return Act(id, what)
        case [str(id), str(what), [None | str() as before, None | str() as after]]:
            return Act(id, what, (before, after))
    return None


def _parsed(body: bytes) -> Any:
    try:
        return exact.loads(body.decode("utf-8") + "}")
    except ValueError as error:
        raise UnreadableError from error


def _record(value: Any) -> Record:
    message_id = value.get("id") if isinstance(value, dict) else None
    if not isinstance(message_id, str):
        raise UnreadableError
    if isinstance(value.get("role"), str):
        return Put(Message(value))
    return _change(message_id, value)


def _change(message_id: str, value: Mapping[str, Any]) -> Record:
    added = value.get("append")
    if isinstance(added, str):
        return Append(message_id, added)
    match value:
        case {"patch": {"metadata": Mapping() as metadata}}:
            return Patch(message_id, metadata)
        case {"deleted": True}:
            return Delete(message_id)
    raise UnreadableError


def _is_message(message: Message) -> bool:
    return all(isinstance(message.data.get(field), str) for field in ("id", "role"))


def _value(record: Record) -> Mapping[str, Any]:
    match record:
        case Put(message):
            return message.data
        case Patch(message_id, metadata):
            return {"id": message_id, "patch": {"metadata": metadata}}
        case Append(message_id, text):
            return {"id": message_id, "append": text}
        case Delete(message_id):
            return {"id": message_id, "deleted": True}
