"""The embedding model in use."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from webapp.documents.calibration import measured
from webapp.documents.embedding import Embedder, EmbeddingModel, TextVectors
from webapp.documents.vector_cache import VectorCache
from webapp.errors import EngineFailed


class CurrentModel:
    """Of a model nobody knows (`dimension` 0) the scale is measured when it is first needed."""

    def __init__(self, embedder: Embedder, model: EmbeddingModel, cache: VectorCache) -> None:
        self._embedder = embedder
        self._cache = cache
        self._measuring = threading.Lock()
        self._vectors = TextVectors(embedder, model, cache)

    def vectors(self) -> TextVectors:
        """EngineFailed when the model has to be measured and does not answer."""
        if self._vectors.model.dimension == 0:
            with self._measuring:
                if self._vectors.model.dimension == 0:
                    self._vectors = TextVectors(self._embedder, self._measured(), self._cache)
        return self._vectors

    def vectors_if_known(self) -> TextVectors:
        """For search: without a measure the vectors say so themselves when they are asked for, and
        words take over."""
        try:
            return self.vectors()
        except EngineFailed:
            return self._vectors

    def owners(self) -> set[str]:
        """For whom vectors are kept, whichever model made them."""
        return self._cache.owners()

    def forget(self, owners: Iterable[str]) -> None:
        """Keep no vectors for these any more."""
        self._cache.forget(owners)

    def _measured(self) -> EmbeddingModel:
        known = self._vectors.model
        return measured(
            self._embedder,
            known.name,
            query_prefix=known.query_prefix,
            passage_prefix=known.passage_prefix,
        )
