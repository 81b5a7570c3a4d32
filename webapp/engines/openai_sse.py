"""Server-sent events out of bytes that arrive in pieces cut anywhere. Pure."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final

# An answer's piece has a few bytes; a server that sends more than this is no model server.
LONGEST_EVENT: Final = 8_000_000
_LINE_END: Final = re.compile("\r\n|\n|\r")


class EventTooLong(Exception):
    """What came without an end is longer than any event of an answer."""


class EventStream:
    """The `data` of each event, in order. Comments, names and ids of events are left out."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._unread: list[str] = []
        self._data: list[str] = []
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[str]:
        text = self._decoder.decode(piece)
        self._size += len(text)
        if self._size > LONGEST_EVENT:
            raise EventTooLong
        yield from self._lines(text)

    def end(self) -> Iterator[str]:
        """The last event, if the server ended without the empty line behind it."""
        yield from self._lines(self._decoder.decode(b"", final=True) + "\n\n")

    def _lines(self, text: str) -> Iterator[str]:
        if not _LINE_END.search(text) and not self._ends_in_return():
            self._unread.append(text)
            return
        whole = "".join(self._unread) + text
        start = 0
        for end in _LINE_END.finditer(whole):
            if end[0] == "\r" and end.end() == len(whole):
                break  # its line feed may follow
            yield from self._line(whole[start : end.start()])
            start = end.end()
        self._unread = [whole[start:]]

    def _ends_in_return(self) -> bool:
        return bool(self._unread) and self._unread[-1].endswith("\r")

    def _line(self, line: str) -> Iterator[str]:
        field, _, value = line.partition(":")
        if field == "data":
            self._data.append(value.removeprefix(" "))
        elif not line:
            data, self._data, self._size = self._data, [], 0
            if data:
                yield "\n".join(data)
