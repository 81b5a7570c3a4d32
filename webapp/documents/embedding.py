"""From texts to vectors, through whatever engine has an embedding model.

Vectors are kept by the hash of their text, so that reading a file again, or going on after an
interruption, computes nothing twice.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np

from webapp.documents.boundaries import passage_end
from webapp.documents.vector_cache import VectorCache
from webapp.documents.vectors import Vectors, checked, joined
from webapp.errors import BadInput, Conflict, EngineFailed, ModelFileMissing

Kind = Literal["query", "passage"]

# Small, so that a question asked meanwhile and a press on "cancel" wait for little.
_BATCH: Final = 8
_SHORTEST_PIECE: Final = 24
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Embedder(Protocol):
    """What an engine offers."""

    def embed(self, texts: Sequence[str], kind: Kind) -> list[list[float]]:
        """One unit-length vector per text, in the order given. EngineFailed when that cannot be,
        for one when a text is longer than the model's window."""


@dataclass(frozen=True)
class EmbeddingModel:
    """Which vectors these are. Those of two models, or of other prefixes, cannot be compared.

    `name` is unique to the model's file; `a` is the cosine of texts that have nothing in common,
    `b` of texts that say the same: the two put every model's cosines on one scale."""

    name: str
    dimension: int
    a: float = 0.0
    b: float = 1.0
    query_prefix: str = ""
    passage_prefix: str = ""

    @property
    def space(self) -> str:
        """What a table of its vectors is marked with."""
        return f"{self.name}\n{self.query_prefix}\n{self.passage_prefix}\n{self.dimension}"

    def score(self, cosine: float) -> float:
        """0 to 1, 1 best; one meaning whatever the model."""
        return min(1.0, max(0.0, (cosine - self.a) / (self.b - self.a)))


def cleaned(text: str) -> str:
    """As models are given it: NFC, no white space at the ends, whole characters only."""
    return unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", text)).strip()


class TextVectors:
    """Vectors of texts by one model. Can be used from any thread."""

    def __init__(
        self, embedder: Embedder, model: EmbeddingModel, cache: VectorCache | None = None
    ) -> None:
        self.model = model
        self._embedder = embedder
        self._cache = cache

    def of_question(self, text: str) -> Vectors:
        """Shape (dimension,). BadInput for one without any text."""
        clean = cleaned(text)
        if not clean:
            raise BadInput("There is nothing to search for.", do="Write a few words.")
        return self._of_batch([clean], "query").reshape(self.model.dimension)

    def of_questions(self, texts: Sequence[str]) -> Vectors:
        """Shape (texts, dimension). What people say is like their questions, not like passages of
        files; none may be without any text."""
        return self._of_batch([cleaned(text) for text in texts], "query")

    def of_passages(
        self,
        texts: Sequence[str],
        *,
        owners: Sequence[str] = (),
        progress: Callable[[int, int], None] = lambda _done, _total: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Vectors:
        """Shape (texts, dimension). `progress` hears how many of them are done. With `owners`, one
        for each text, vectors are kept for the next time, but not those of the owner "".

        Conflict when `cancelled` says so between two batches; what is done is kept."""
        found = np.empty((len(texts), self.model.dimension), np.float32)
        for start in range(0, len(texts), _BATCH):
            if cancelled():
                raise Conflict(
                    "The embedding was cancelled.", do="Start it again whenever you like."
                )
            batch = [cleaned(text) for text in texts[start : start + _BATCH]]
            whose = owners[start : start + _BATCH] or [""] * len(batch)
            found[start : start + len(batch)] = self._kept_or_new(batch, whose)
            progress(start + len(batch), len(texts))
        return found

    def _kept_or_new(self, batch: list[str], owners: Sequence[str]) -> Vectors:
        kept = self._cache.read(self.model, batch) if self._cache and any(owners) else {}
        new = [text for text in dict.fromkeys(batch) if text not in kept]
        made: dict[str, Vectors] = {}
        if new:
            made = dict(zip(new, self._of_batch(new, "passage"), strict=True))
        if self._cache:
            owned = {each for each in zip(batch, owners, strict=True) if each[1]}
            self._cache.keep(self.model, made, owned)
        kept |= made
        return np.stack([kept[text] for text in batch])

    def _of_batch(self, texts: list[str], kind: Kind) -> Vectors:
        try:
            return checked(self._embedder.embed(texts, kind), len(texts), self.model.dimension)
        except ModelFileMissing:
            raise
        except EngineFailed:
            if len(texts) == 1:
                return self._of_pieces(texts[0], kind)
            return np.concatenate([self._of_batch([text], kind) for text in texts])

    def _of_pieces(self, text: str, kind: Kind) -> Vectors:
        """Of one text that was refused. If it was for its length, its parts are not, or theirs;
        the first piece that is short and still refused says what is wrong."""
        middle = passage_end(text, 0, len(text) * 2 // 3, by_lines=False)
        pieces = [piece for piece in (text[:middle].strip(), text[middle:].strip()) if piece]
        if len(text) < _SHORTEST_PIECE or len(pieces) < 2:
            return checked(self._embedder.embed([text], kind), 1, self.model.dimension)
        parts = np.concatenate([self._of_batch([piece], kind) for piece in pieces])
        return joined(parts, [len(piece) for piece in pieces])[None, :]
