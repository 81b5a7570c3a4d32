"""A file of vectors, one after the other, numbers of 32 bits: compared with all of them at once.

It is read through the system's own cache, so that it costs no memory of ours while nobody asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
_BYTES: Final = 4


class VectorFile:
    """Of vectors with `dimension` numbers. OSError is the caller's to handle."""

    def __init__(self, path: Path, dimension: int) -> None:
        self._path = path
        self._dimension = dimension

    def write(self, slots: Sequence[int], vectors: Vectors) -> None:
        """Each into its slot."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch()
        size = _BYTES * self._dimension
        with self._path.open("r+b") as file:
            for slot, vector in zip(slots, vectors, strict=True):
                file.seek(slot * size)
                file.write(np.asarray(vector, "<f4").tobytes())

    def wipe(self, slots: Iterable[int]) -> None:
        """Nothing is left of what was in them."""
        many = list(slots)
        self.write(many, np.zeros((len(many), self._dimension), np.float32))

    def products(self, vector: Vectors) -> Vectors:
        """Of each vector in the file with this one, by slot. A torn last one is left out."""
        try:
            count = self._path.stat().st_size // (_BYTES * self._dimension)
        except FileNotFoundError:
            count = 0
        if not count:
            return np.empty(0, np.float32)
        shape = (count, self._dimension)
        rows = np.memmap(self._path, dtype="<f4", mode="r", shape=shape)
        found: Vectors = np.asarray(rows @ vector.astype(np.float32))
        return found
