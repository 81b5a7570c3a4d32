"""Puts a request to a server in the way that it takes, and learns from what it refuses."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from webapp.engines.engine import Request
from webapp.engines.openai_dialect import Dialect
from webapp.engines.openai_link import Link
from webapp.engines.openai_refusal import Overflow, Refused
from webapp.engines.openai_server import Server, not_an_api
from webapp.engines.openai_trouble import Asked, too_long
from webapp.errors import EngineFailed

_PATH: Final = "/chat/completions"
_LEAST_CONTEXT: Final = 256


class Asking:
    """Used by several threads; what one learned, the next request of any of them uses."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._dialect = Dialect()
        self._context_tokens = 0

    @property
    def context_tokens(self) -> int:
        """The context that the server named when it refused a long request; 0 before."""
        return self._context_tokens

    def ask(
        self, request: Request, link: Link, asked: Asked, tokens: int, opened: Callable[[], None]
    ) -> Iterator[str]:
        """The data of each event of the answer. `opened` is called when the server took the
        request; `tokens` is our count of it. Raises EngineFailed, or Aborted."""
        try:
            response, body = self._opened(request, link, asked)
            opened()
            yield from self._events(link, response, body, asked)
        except Refused as error:
            found = error.refusal.overflow
            if not found:
                raise
            raise too_long(found.prompt or tokens, found.context, error.refusal) from error

    def _opened(
        self, request: Request, link: Link, asked: Asked
    ) -> tuple[http.client.HTTPResponse, dict[str, Any]]:
        dialect, room = self._dialect, request.max_tokens
        while True:
            body = dialect.body(request, asked.model, room)
            try:
                response = self._server.open(link, "POST", _PATH, body, asked)
            except Refused as error:
                less = self._room_left(error.refusal.overflow, room)
                other = dialect.after(error.refusal)
                if less:
                    room = less
                elif other:
                    dialect = other
                else:
                    raise
            else:
                self._dialect = dialect
                return response, body

    def _room_left(self, overflow: Overflow | None, room: int) -> int:
        """Some servers refuse a prompt that fits, because the longest answer would not."""
        if overflow is None:
            return 0
        if overflow.context >= _LEAST_CONTEXT:
            self._context_tokens = overflow.context
        left = overflow.context - overflow.prompt
        return left if overflow.prompt and 0 < left < room else 0

    def _events(
        self, link: Link, response: http.client.HTTPResponse, body: dict[str, Any], asked: Asked
    ) -> Iterator[str]:
        kind = response.headers.get_content_type()
        if kind == "text/html":
            raise not_an_api(asked)
        if kind == "application/json":  # it does not stream
            yield json.dumps(self._server.whole(link, response, asked))
            return
        begun = False
        try:
            for data in self._server.events(link, response, asked):
                begun = True
                yield data
        except EngineFailed:
            if not begun:
                self._inquire(link, body, asked)
            raise
        if not begun:
            self._inquire(link, body, asked)

    def _inquire(self, link: Link, body: dict[str, Any], asked: Asked) -> None:
        """A server that begins to stream before it looks at the request can only hang up. Asked
        for one token in one piece, it says why; comes back if that goes well."""
        plain = {key: value for key, value in body.items() if not key.startswith("stream")}
        limits = {key: 1 for key in plain if key.startswith("max_")}
        self._server.fetch(link, "POST", _PATH, {**plain, **limits}, asked)
