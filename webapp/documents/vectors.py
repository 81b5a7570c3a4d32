"""Arrays of vectors: what may be kept and compared.

Every vector here has unit length, so that a product of two is the cosine of their angle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from webapp.errors import EngineFailed

Vectors = NDArray[np.float32]

_TOLERANCE: Final = 1e-3


def checked(vectors: Sequence[Sequence[float]] | Vectors, count: int, dimension: int) -> Vectors:
    """`vectors` as float32 of shape (count, dimension). EngineFailed unless there are so many of
    that length, finite and of unit length."""
    if len(vectors) != count:
        raise _unusable(f"gave {len(vectors):,} vectors for {count:,} texts")
    wrong = {len(vector) for vector in vectors} - {dimension}
    if wrong:
        raise _unusable(f"gave a vector of {min(wrong):,} numbers instead of {dimension:,}")
    try:
        array = np.asarray(vectors, np.float32).reshape(count, dimension)
    except (TypeError, ValueError, OverflowError) as error:
        raise _unusable("gave a vector that is not made of numbers") from error
    lengths = np.linalg.norm(array.astype(np.float64), axis=1)
    if not np.all(np.isfinite(lengths)):
        raise _unusable("gave a vector with numbers that are not finite")
    if np.any(np.abs(lengths - 1) > _TOLERANCE):
        raise _unusable("gave a vector whose length is not 1")
    return array


def joined(parts: Vectors, weights: Sequence[float]) -> Vectors:
    """One vector for a text whose pieces have these: their mean, of unit length."""
    mean = np.average(parts.astype(np.float64), axis=0, weights=weights)
    length = float(np.linalg.norm(mean))
    if not length:
        raise _unusable("gave vectors of opposite meaning for the pieces of one text")
    return (mean / length).astype(np.float32)


def cosines(vectors: Vectors, to: Vectors) -> NDArray[np.float64]:
    """In double precision, so that two ways to find a row give it one score."""
    found: NDArray[np.float64] = vectors.astype(np.float64) @ to.astype(np.float64)
    return np.clip(found, -1.0, 1.0)


def _unusable(what: str) -> EngineFailed:
    return EngineFailed(
        f"The embedding model {what}.", do="Choose another embedding model in the settings."
    )
