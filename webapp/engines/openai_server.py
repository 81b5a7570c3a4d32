"""A server that speaks OpenAI's HTTP API: asks it, asks again, and tells what went wrong."""

from __future__ import annotations

import errno
import http.client
import json
import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from webapp.engines.openai_address import Address
from webapp.engines.openai_link import Aborted, Link, Patience
from webapp.engines.openai_refusal import error_in, refusal_of
from webapp.engines.openai_sse import EventStream, EventTooLong
from webapp.engines.openai_trouble import Asked, Stage, refused, unreachable
from webapp.errors import BadSetting, EngineFailed

_LONGEST_ERROR: Final = 65_536
_LONGEST_REPLY: Final = 128_000_000
_PIECE: Final = 65_536
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MAY_PASS: Final = frozenset({errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN})
# The last is raised for a host whose name cannot be asked for.
_FAULTS: Final = (OSError, http.client.HTTPException, UnicodeError)


class Server:
    """Stateless but for its address and key, which no sentence and no `repr` shows."""

    def __init__(self, address: Address, key: str, patience: Patience) -> None:
        self.address = address
        self.patience = patience
        self._key = _checked(key)

    def link(self) -> Link:
        return Link(self.address, self._key, self.patience)

    def asked(self, model: str = "", known_models: Sequence[str] = ()) -> Asked:
        return Asked(str(self.address), model, self._key, known_models, self.address.host)

    def fetch(self, link: Link, method: str, path: str, body: Any, asked: Asked) -> Any:
        """The whole JSON reply. Raises Refused, EngineFailed, or Aborted; closes the link."""
        try:
            response = self.open(link, method, path, body, asked)
            return self.whole(link, response, asked)
        finally:
            link.close()

    def open(
        self, link: Link, method: str, path: str, body: Any, asked: Asked
    ) -> http.client.HTTPResponse:
        """The head of a good reply. A connection that fails before it is tried again."""
        content = None if body is None else encoded(body)
        waits = iter(self.patience.retries)
        while True:
            try:
                response = link.open(method, path, content)
                break
            except _FAULTS as error:
                pause = next(waits, None) if _worth_another_try(error) else None
                if pause is None or link.aborted:
                    raise self._fault(link, error, "first", asked) from error
            link.pause(pause)
        if response.status == 200:
            return response
        text = self._guarded(link, "first", asked, lambda: response.read(_LONGEST_ERROR))
        hints = (response.headers.get(name) or "" for name in ("Retry-After", "Location"))
        raise refused(refusal_of(response.status, text, *hints), asked)

    def whole(self, link: Link, response: http.client.HTTPResponse, asked: Asked) -> Any:
        """The body of a reply as JSON; a web page and an error in it are refused."""
        text = self._guarded(link, "first", asked, lambda: response.read(_LONGEST_REPLY))
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise not_an_api(asked) from error
        refusal = error_in(value)
        if refusal is not None:
            raise refused(refusal, asked)
        return value

    def events(self, link: Link, response: http.client.HTTPResponse, asked: Asked) -> Iterator[str]:
        """The data of each event, until the server ends or the connection breaks (EngineFailed)."""
        stream, begun = EventStream(), False
        while piece := self._guarded(
            link, "between" if begun else "first", asked, lambda: response.read1(_PIECE)
        ):
            try:
                arrived = list(stream.feed(piece))
            except EventTooLong as error:
                raise not_an_api(asked) from error
            if arrived and not begun:
                begun = True
                link.wait_at_most(self.patience.between)
            yield from arrived
        yield from stream.end()

    def _guarded(self, link: Link, stage: Stage, asked: Asked, read: Callable[[], bytes]) -> bytes:
        try:
            return read()
        except _FAULTS as error:
            raise self._fault(link, error, stage, asked) from error

    def _fault(self, link: Link, error: Exception, stage: Stage, asked: Asked) -> Exception:
        if link.aborted:
            return Aborted()
        if not link.connected and stage == "first":
            stage = "connect"
        return unreachable(error, stage, getattr(self.patience, stage), asked)


def encoded(body: Mapping[str, Any]) -> bytes:
    """JSON in ASCII. Lone surrogates, which no server takes, are replaced."""
    text = json.dumps(_clean(body))
    return text.encode("ascii")


def not_an_api(asked: Asked) -> EngineFailed:
    return EngineFailed(
        f"What answers at {asked.place} is not an OpenAI-compatible API.", do="Check base_url."
    )


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {key: _clean(part) for key, part in value.items()}
    return [_clean(part) for part in value] if isinstance(value, list | tuple) else value


def _worth_another_try(error: Exception) -> bool:
    if isinstance(error, OSError) and error.errno in _MAY_PASS:
        return True
    return isinstance(error, ConnectionError | socket.gaierror)


def _checked(key: str) -> str:
    """A key fit for a header. The error does not show it."""
    key = key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise BadSetting(
            "The API key has characters that do not belong in a key.",
            do="Copy it again, without spaces.",
        )
    return key
