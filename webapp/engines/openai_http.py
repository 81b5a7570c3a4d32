"""An engine on any server that speaks OpenAI's HTTP API: vLLM, llama-server, a gateway.

The server owns the model, its queue and its window; this side keeps nothing but a look at it.
"""

from __future__ import annotations

import json
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, Final

from webapp.chat.estimate import TOKENS_PER_MESSAGE, estimate
from webapp.engines.answer_form import checked
from webapp.engines.engine import EmbedKind, EngineInfo, Event, Finished, Request, Turn
from webapp.engines.openai_address import address_of
from webapp.engines.openai_answer import ENDED, OPENED, Answer, broken_off
from webapp.engines.openai_asking import Asking
from webapp.engines.openai_embed import Embedder
from webapp.engines.openai_link import Aborted, Link, Patience
from webapp.engines.openai_models import Listing, Watch, listing_of
from webapp.engines.openai_refusal import Refused
from webapp.engines.openai_reply import BrokenAnswer
from webapp.engines.openai_server import Server
from webapp.engines.openai_trouble import Unreachable
from webapp.errors import EngineFailed

_NAME: Final = "openai_http"
_SECONDS_TO_END: Final = 1.0
_NOT_FOR_ANYBODY: Final = (401, 403, 502, 503, 504)


class OpenAIHttpEngine:
    """The chat model and the embedding model that a server has under these names.

    An empty `model` is the first that the server lists. `context_tokens` counts where the server
    does not say how long its context is. `key` is shown nowhere. Raises BadSetting for a
    `base_url` or a key that is none."""

    def __init__(
        self,
        base_url: str,
        model: str = "",
        embed_model: str = "",
        *,
        key: str = "",
        context_tokens: int,
        query_prefix: str = "",
        passage_prefix: str = "",
        patience: Patience | None = None,
    ) -> None:
        self._server = Server(address_of(base_url), key, patience or Patience())
        self._model = model.strip()
        self._embed_model = embed_model.strip()
        self._context_tokens = context_tokens
        self._closed = False
        self._guard = threading.Lock()
        self._answers: weakref.WeakSet[Answer] = weakref.WeakSet()
        self._links: weakref.WeakSet[Link] = weakref.WeakSet()
        self._watch = Watch(self._look, time.monotonic)
        self._asking = Asking(self._server)
        prefixes: dict[EmbedKind, str] = {"query": query_prefix, "passage": passage_prefix}
        self._embedder = Embedder(self._embed_model, prefixes, self._post_embeddings)

    def describe(self) -> EngineInfo:
        """What was seen last; the server is looked at anew in the background."""
        if self._closed:
            return EngineInfo(_NAME, self._model, "unloaded", self._context_tokens)
        sight = self._watch.sight()
        model = self._model or next(iter(sight.listing.names), "")
        said = sight.listing.context_tokens(model, self._context_tokens)
        context = self._asking.context_tokens or said
        return EngineInfo(_NAME, model, sight.state, context, sight.problem)

    def models(self) -> tuple[str, ...]:
        """The names that the server lists; waits for it if it was not seen yet."""
        return self._watch.listing().names

    def count(self, turns: Sequence[Turn], tools: Sequence[dict[str, Any]] = ()) -> int:
        """An estimate, rather many: the model's own tokenizer is not at hand."""
        texts = [turn.content for turn in turns]
        said = sum(estimate(text) + TOKENS_PER_MESSAGE for text in texts)
        return said + (estimate(json.dumps(list(tools))) if tools else 0)

    def generate(self, request: Request) -> Iterator[Event]:
        request = checked(request)
        tokens = self.count(request.turns, request.tools)
        answer = Answer(request, self._new_link(), tokens)
        with self._guard:
            self._answers.add(answer)
        return self._events(answer)

    def cancel(self, request_id: str) -> None:
        with self._guard:
            meant = [answer for answer in self._answers if answer.request.id == request_id]
        for answer in meant:
            answer.cancel()

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> list[list[float]]:
        """Texts are taken in Unicode NFC, without white space at their ends. Longer ones are sent
        twice to a server that might cut them and say nothing."""
        self._refuse_if_closed()
        if not self._embed_model:
            raise EngineFailed("No embedding model is set.", do="Set embedder to its name.")
        return self._embedder.embed(texts, kind)

    def close(self) -> None:
        """End all requests; answers in the making end as stopped."""
        with self._guard:
            self._closed = True
            answers, links = list(self._answers), list(self._links)
        for answer in answers:
            answer.cancel()
        for link in links:
            link.abort()
        self._watch.join(_SECONDS_TO_END)

    # --- answers ---

    def _events(self, answer: Answer) -> Iterator[Event]:
        if answer.request.max_tokens < 1:
            yield Finished("length", answer.tokens, 0, 0, 0.0, 0.0)
            return
        if not answer.link.aborted:
            threading.Thread(target=self._talk, args=(answer,), name="model", daemon=True).start()
        try:
            yield from answer.events()
        except BrokenAnswer as broken:
            raise broken_off(broken.refusal, self._server.asked()) from broken
        except EngineFailed as error:
            self._note(error)
            raise
        else:
            self._watch.works()
        finally:
            answer.link.abort()

    def _talk(self, answer: Answer) -> None:
        """In a thread of its own: from the server into the inbox."""
        inbox = answer.inbox
        try:
            model = self._model or self._first_model()
            asked = self._server.asked(model, self._watch.known.names)
            for data in self._asking.ask(
                answer.request, answer.link, asked, answer.tokens, lambda: inbox.put(OPENED)
            ):
                inbox.put(data)
            inbox.put(ENDED)
        except Aborted:
            pass  # nobody waits any more
        except Exception as error:  # raised again where the events are read
            inbox.put(error)
        finally:
            answer.link.close()

    def _first_model(self) -> str:
        names = self.models()
        if not names:
            raise EngineFailed(
                f"The server at {self._server.address} lists no model.",
                do="Load one there, or set model to its name.",
            )
        return names[0]

    def _note(self, error: EngineFailed) -> None:
        """Whether the server as a whole is to be called not available."""
        status = error.refusal.status if isinstance(error, Refused) else 0
        if isinstance(error, Unreachable) or status in _NOT_FOR_ANYBODY:
            self._watch.fails(str(error))

    # --- other requests ---

    def _look(self) -> Listing:
        try:
            return listing_of(self._fetch("GET", "/models", None, self._model))
        except Refused as error:
            if self._model and error.refusal.status in (404, 405, 501):
                return Listing()  # it answers, but has no list
            raise

    def _post_embeddings(self, body: dict[str, Any]) -> Any:
        try:
            return self._fetch("POST", "/embeddings", body, self._embed_model)
        except Refused as error:
            if error.refusal.status in (404, 405) and not error.refusal.means_no_model:
                raise EngineFailed(
                    f"The server at {self._server.address} gives no embeddings.",
                    do="Use a server that does.",
                ) from error
            raise

    def _fetch(self, method: str, path: str, body: dict[str, Any] | None, model: str) -> Any:
        link = self._new_link()
        asked = self._server.asked(model, self._watch.known.names)
        try:
            return self._server.fetch(link, method, path, body, asked)
        except Aborted as aborted:
            raise _closed() from aborted

    def _new_link(self) -> Link:
        link = self._server.link()
        with self._guard:
            self._refuse_if_closed()
            self._links.add(link)
        return link

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise _closed()


def _closed() -> EngineFailed:
    return EngineFailed("The model was closed.", do="Start Strata again.")
