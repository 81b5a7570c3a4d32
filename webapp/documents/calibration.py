"""What has to be measured of an embedding model: its scale, and the scripts it can read."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

import numpy as np

from webapp.documents.embedding import Embedder, EmbeddingModel, TextVectors
from webapp.documents.scripts import ENGLISH, SENTENCES, Pairs, Script
from webapp.documents.vectors import cosines

# Measured: models that read a script keep 0.6 to 1 of the distance they have in English between
# an answer and the others; models that do not, 0.25 and less.
_KEPT: Final = 0.4


def measured(
    embedder: Embedder, name: str, *, query_prefix: str = "", passage_prefix: str = ""
) -> EmbeddingModel:
    """A model nobody knows: `a` from texts that have nothing in common, `b` is 1."""
    (first,) = embedder.embed([ENGLISH[0][0]], "query")
    unscaled = EmbeddingModel(
        name, len(first), query_prefix=query_prefix, passage_prefix=passage_prefix
    )
    _, others = _own_and_others(TextVectors(embedder, unscaled), ENGLISH)
    a = min(0.95, max(0.0, others))
    return EmbeddingModel(name, len(first), a, 1.0, query_prefix, passage_prefix)


class Reading:
    """Which scripts a model reads, found out when first asked; remembered for each model."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, Script | None], float] = {}

    def can_read(self, vectors: TextVectors, script: Script | None) -> bool:
        """True for scripts there is no probe for. EngineFailed when the model does not answer."""
        if script is None:
            return True
        return self._distance(vectors, script) >= _KEPT * self._distance(vectors, None)

    def _distance(self, vectors: TextVectors, script: Script | None) -> float:
        key = vectors.model.space, script
        with self._lock:
            if key in self._known:
                return self._known[key]
        own, others = _own_and_others(vectors, SENTENCES[script] if script else ENGLISH)
        with self._lock:
            return self._known.setdefault(key, own - others)


def _own_and_others(vectors: TextVectors, pairs: Pairs) -> tuple[float, float]:
    """Mean cosine of questions and their answers, and of questions and other answers."""
    answers = vectors.of_passages([answer for _, answer in pairs])
    rows: Sequence[Sequence[float]] = [
        cosines(answers, vectors.of_question(question)).tolist() for question, _ in pairs
    ]
    table = np.array(rows)
    own, count = float(np.trace(table)), len(pairs)
    return own / count, (float(table.sum()) - own) / (count * count - count)
