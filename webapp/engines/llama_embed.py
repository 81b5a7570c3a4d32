"""Vectors of texts, one text per computation: larger batches are up to ten times slower."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from webapp.engines.llama_native import Log, NativeModel, StopFlag
from webapp.engines.memory import available_bytes
from webapp.engines.model_files import check_embed_model
from webapp.errors import EngineFailed, ModelFileMissing

# A whole text has to fit into one batch, and memory grows with the square of it.
_LONGEST_WINDOW: Final = 2048


class EmbedModel:
    """One embedding model; `prefixed` texts come in, unit-length vectors go out."""

    def __init__(self, path: Path, threads: int, stop: StopFlag, log: Log) -> None:
        check_embed_model(path, available_bytes())
        self._native = NativeModel(path, log)
        self.window = min(self._native.trained_context, _LONGEST_WINDOW)
        self._native.open_context(self.window, self.window, threads, stop, embedding=True)

    def vector(self, prefixed: str, index: int) -> list[float]:
        """EngineFailed names the text by `index` when it is too long; nothing is cut."""
        tokens = self._native.tokenize(prefixed, beginning_and_end=True, special=False)
        if len(tokens) > self.window:
            raise EngineFailed(
                f"Text {index} has {len(tokens):,} tokens; the embedding model takes "
                f"{self.window:,}.",
                do="Split it into smaller passages.",
            )
        self._native.forget_after(0)
        if not self._native.decode(tokens):
            raise EngineFailed("The embedding was stopped.", do="Try again.")
        return self._unit(self._native.pooled(), index)

    def _unit(self, vector: list[float], index: int) -> list[float]:
        if not vector:
            raise ModelFileMissing(
                f"The model {self._native.path} does not give vectors for texts.",
                do="Choose an embedding model.",
            )
        length = math.sqrt(math.fsum(value * value for value in vector))
        if not math.isfinite(length) or length == 0.0:
            raise EngineFailed(
                f"The embedding model gave no usable vector for text {index}.",
                do="Check the model file with 'strata models verify'.",
            )
        return [value / length for value in vector]
