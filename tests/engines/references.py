"""Is an embedder the model it should be? Cosines of known pairs tell, whatever made the file."""

import math

import pytest

# Processors round differently; a wrong tokenizer or tensor moves cosines by far more.
TOLERANCE = 0.015


def check_references(entry, vectors):
    """`vectors` holds one for each text of the pairs, as it stands there, without prefixes."""
    for pair in entry.embedding.references:
        first, second = vectors[pair.first], vectors[pair.second]
        assert len(first) == len(second) == entry.embedding.dimension
        product = sum(a * b for a, b in zip(first, second, strict=True))
        cosine = product / (math.hypot(*first) * math.hypot(*second))
        assert cosine == pytest.approx(pair.cosine, abs=TOLERANCE), pair
