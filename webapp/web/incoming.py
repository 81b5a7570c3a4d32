"""What a request may look like on the wire: it says in one way how long it is, and it comes in a
bearable time. Checked before anything is made of it, so that no two readers of one connection can
take it for different requests, and nobody holds a thread by sending a byte now and then."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable
from email.errors import MissingHeaderBodySeparatorDefect
from email.message import Message
from http import HTTPStatus

from werkzeug.exceptions import ClientDisconnected, RequestTimeout

HEAD_SECONDS = 30.0
_NAME = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
# A body may take as long as a head, and goes on for as long as it comes at this pace.
SLOWEST_BYTES_A_SECOND = 1000
# Of a length: a number that nobody could send, and that Python would not read.
MOST_DIGITS = 18


def fault_in(headers: Message) -> HTTPStatus | None:
    """Why a request with these headers is refused. Browsers say a length; a body in chunks, or a
    length that is said twice, is how requests are hidden in others."""
    torn = any(isinstance(each, MissingHeaderBodySeparatorDefect) for each in headers.defects)
    if torn or not all(map(_NAME.fullmatch, headers)):
        return HTTPStatus.BAD_REQUEST
    lengths = headers.get_all("Content-Length", [])
    if headers.get_all("Transfer-Encoding"):
        return HTTPStatus.BAD_REQUEST if lengths else HTTPStatus.LENGTH_REQUIRED
    if len(lengths) > 1 or not all(each.isascii() and each.isdecimal() for each in lengths):
        return HTTPStatus.BAD_REQUEST
    if len(headers.get_all("Host", [])) > 1:
        return HTTPStatus.BAD_REQUEST
    too_long = any(len(each) > MOST_DIGITS for each in lengths)
    return HTTPStatus.REQUEST_ENTITY_TOO_LARGE if too_long else None


class TooSlow(RequestTimeout, TimeoutError):
    """For the page that reads a body, an answer; for the server that reads on after it, a line
    that broke."""


def length_in(headers: Message) -> int:
    """In bytes, of a request without fault."""
    return int(headers.get("Content-Length", "0"))


class PacedBody(io.RawIOBase):
    """The next `length` bytes of `source`, as they come. Raises TooSlow when that takes too long,
    and ClientDisconnected when it breaks off."""

    def __init__(
        self, source: io.BufferedIOBase, length: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._source = source
        self._left = length
        self._clock = clock
        self._began: float | None = None
        self._bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._left:
            return 0
        began = self._began = self._clock() if self._began is None else self._began
        try:
            count = self._source.readinto1(memoryview(buffer)[: self._left])
        except TimeoutError as error:
            raise TooSlow from error
        except OSError as error:
            raise ClientDisconnected from error
        self._bytes += count
        self._left -= count
        if self._clock() - began > HEAD_SECONDS + self._bytes / SLOWEST_BYTES_A_SECOND:
            raise TooSlow
        return count

    def close(self) -> None:
        self._source.close()
        super().close()
