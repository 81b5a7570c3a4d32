"""Embeddings from a server, with the promise that no text is cut without a word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from webapp.chat.estimate import estimate
from webapp.engines.engine import EmbedKind
from webapp.engines.openai_refusal import Refused
from webapp.engines.openai_vectors import (
    SURELY_READ_BYTES,
    TAIL,
    batches,
    cleaned,
    same,
    vectors_of,
)
from webapp.errors import EngineFailed

Post = Callable[[dict[str, Any]], Any]


class Embedder:
    """`post` sends a body to the server's embeddings and gives the reply, or raises Refused."""

    def __init__(self, model: str, prefixes: Mapping[EmbedKind, str], post: Post) -> None:
        self._model = model
        self._prefixes = prefixes
        self._post = post
        self._refuses_long = False

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> list[list[float]]:
        """Unit-length vectors in the order given; EngineFailed names a text that is too long."""
        prefix = self._prefixes[kind]
        sent = [prefix + cleaned(index, text) for index, text in enumerate(texts)]
        found: list[list[float]] = []
        for batch in batches(sent):
            found += self._together(batch, sent)
        if len({len(vector) for vector in found}) > 1:
            raise EngineFailed(
                "The server's embeddings differ in length.", do="Ask for them again."
            )
        for index, text in enumerate(sent):
            self._check_was_read(index, text, found[index])
        return found

    def _together(self, batch: range, sent: Sequence[str]) -> list[list[float]]:
        try:
            return self._ask([sent[index] for index in batch])
        except Refused as error:
            overflow = error.refusal.overflow
            if not overflow and error.refusal.status != 413:
                raise
            if len(batch) > 1:  # which of them it is, the server does not say
                return [self._together(range(n, n + 1), sent)[0] for n in batch]
            prompt = overflow.prompt if overflow else 0
            context = overflow.context if overflow else 0
            raise _too_long(batch.start, sent[batch.start], prompt, context) from error

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        reply = self._post({"model": self._model, "input": list(texts)})
        return vectors_of(reply, len(texts))

    def _check_was_read(self, index: int, text: str, vector: Sequence[float]) -> None:
        """Some servers cut a long text and say nothing. Then more words at its end change
        nothing; one that refuses the longer text would have refused this one too."""
        if self._refuses_long or len(text.encode("utf-8")) <= SURELY_READ_BYTES:
            return
        try:
            longer = self._ask([text + TAIL])[0]
        except Refused as error:
            if not error.refusal.overflow:
                raise
            self._refuses_long = True
            return
        if same(vector, longer):
            raise _too_long(index, text, 0, 0)


def _too_long(index: int, text: str, tokens: int, window: int) -> EngineFailed:
    has = f"{tokens:,}" if tokens else f"about {estimate(text):,}"
    takes = f"takes {window:,}" if window else "takes fewer"
    return EngineFailed(
        f"Text {index} has {has} tokens; the embedding model {takes}.",
        do="Split it into smaller passages.",
    )
