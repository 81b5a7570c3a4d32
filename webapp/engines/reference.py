"""Is an embedder the model it should be? Cosines of known pairs tell, whatever made the file."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from webapp.engines.catalog import Entry
from webapp.errors import Damaged

# Processors round differently; a wrong tokenizer or tensor moves cosines by far more.
TOLERANCE = 0.015


def check_references(
    entry: Entry, embed: Callable[[Sequence[str]], Sequence[Sequence[float]]]
) -> None:
    """`embed` takes texts exactly as given, without prefixes. Raises Damaged when a vector has
    another length than the catalogue says, is not finite, or a pair is not as near as it was."""
    about = entry.embedding
    if about is None:
        raise ValueError(f"{entry.name} is no embedder")
    for pair in about.references:
        first, second = embed([pair.first, pair.second])
        sizes = {len(first), len(second)}
        if sizes != {about.dimension}:
            raise _wrong(entry, f"its vectors have {sizes} numbers, not {about.dimension}")
        found = cosine(first, second)
        if not abs(found - pair.cosine) <= TOLERANCE:
            raise _wrong(entry, f"a known pair has cosine {found:.3f}, not {pair.cosine:.3f}")


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    product = sum(a * b for a, b in zip(first, second, strict=True))
    return product / (math.hypot(*first) * math.hypot(*second) or math.nan)


def _wrong(entry: Entry, how: str) -> Damaged:
    return Damaged(
        f"{entry.title} does not work as it should: {how}.",
        do=f"Run 'strata models remove {entry.name}' and 'strata models add {entry.name}'.",
    )
