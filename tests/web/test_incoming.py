"""What a request may look like on the wire."""

import io
from email.message import Message
from http import HTTPStatus

import pytest
from werkzeug.exceptions import ClientDisconnected

from webapp.web.incoming import (
    HEAD_SECONDS,
    SLOWEST_BYTES_A_SECOND,
    PacedBody,
    TooSlow,
    fault_in,
    length_in,
)

BAD, NO_LENGTH = HTTPStatus.BAD_REQUEST, HTTPStatus.LENGTH_REQUIRED
TOO_LARGE = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


def headers(*pairs):
    made = Message()
    for name, value in pairs:
        made[name] = value
    return made


@pytest.mark.parametrize(
    ("pairs", "fault"),
    [
        ([], None),
        ([("Content-Length", "12"), ("Host", "localhost")], None),
        ([("Content-Length", "12"), ("Content-Length", "12")], BAD),
        ([("Content-Length", "12, 12")], BAD),
        ([("Content-Length", "9" * 18)], None),
        ([("Content-Length", "9" * 5000)], TOO_LARGE),
        ([("Content-Length", "-1")], BAD),
        ([("Content-Length", "+1")], BAD),
        ([("Content-Length", "0x10")], BAD),
        ([("Content-Length", "١٢")], BAD),
        ([("Content-Length", "")], BAD),
        ([("Transfer-Encoding", "chunked")], NO_LENGTH),
        ([("transfer-encoding", "identity")], NO_LENGTH),
        ([("Content-Length", "5"), ("Transfer-Encoding", "chunked")], BAD),
        ([("Host", "localhost"), ("Host", "evil.example")], BAD),
        ([("Transfer-Encoding ", "chunked")], BAD),
        ([("X\tY", "1")], BAD),
    ],
)
def test_a_request_says_once_how_long_it_is_and_whom_it_is_for(pairs, fault):
    assert fault_in(headers(*pairs)) == fault


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class Drips(io.BufferedIOBase):
    """So many bytes at once, a second apart."""

    def __init__(self, clock, count):
        self._clock, self._count = clock, count

    def readinto1(self, buffer):
        self._clock.now += 1
        return min(self._count, len(buffer))


def test_a_body_that_drips_is_given_up_and_one_that_comes_slowly_is_not():
    clock = Clock()
    slow = io.BufferedReader(PacedBody(Drips(clock, SLOWEST_BYTES_A_SECOND), 10**9, clock), 100)
    assert len(slow.read(SLOWEST_BYTES_A_SECOND * 100)) == SLOWEST_BYTES_A_SECOND * 100
    clock = Clock()
    dripping = io.BufferedReader(PacedBody(Drips(clock, 1), 10**9, clock), 100)
    with pytest.raises(TooSlow):
        dripping.read(1000)
    assert clock.now - 1000 < HEAD_SECONDS + 5


def test_a_line_that_breaks_is_told_apart_from_one_that_is_slow():
    class Broken(io.BufferedIOBase):
        def readinto1(self, buffer):
            raise ConnectionResetError

    with pytest.raises(ClientDisconnected):
        PacedBody(Broken(), 10).readinto(bytearray(10))
    assert issubclass(TooSlow, TimeoutError)


def test_it_ends_where_the_request_ends_and_what_it_reads_from_is_closed_with_it():
    assert length_in(headers()) == 0
    assert length_in(headers(("Content-Length", "12"))) == 12
    source = io.BytesIO(b"words of the next")
    with io.BufferedReader(PacedBody(source, 5)) as body:
        assert body.read() == b"words"
    assert source.closed
