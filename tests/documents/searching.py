"""What tests of search share: passages, vectors of unit length, a model of words.

`WordModel` is an embedder without a file: texts that share words have a high cosine. It is exact,
quick and counts what it was asked; the real models have tests of their own.
"""

import hashlib
import threading

import numpy as np

from webapp.documents.chunking import Chunk
from webapp.documents.embedding import EmbeddingModel, TextVectors
from webapp.errors import EngineFailed

DIMENSION = 64


def unit(count, dimension=DIMENSION, seed=0):
    """Random vectors of unit length."""
    vectors = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def passages(*texts):
    """Chunks that stand one after the other in a document."""
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
    return [
        Chunk(order, start, start + len(text), text)
        for order, (start, text) in enumerate(zip(starts, texts, strict=False))
    ]


def numbered(count, word="passage"):
    return passages(*(f"{word} {number}" for number in range(count)))


class WordModel:
    """`window` is the most words it takes; `salt` makes another model of it."""

    def __init__(self, salt="", window=1000, dimension=DIMENSION):
        self.asked = []
        self.salt, self.window, self.dimension = salt, window, dimension
        self.broken = False
        self._lock = threading.Lock()

    def embed(self, texts, kind):
        with self._lock:
            self.asked.append((kind, tuple(texts)))
        if self.broken:
            raise EngineFailed("The model has gone.", do="Start it again.")
        return [self._vector(number, text) for number, text in enumerate(texts)]

    def _vector(self, number, text):
        words = "".join(c if c.isalnum() else " " for c in text.lower()).split() or ["nothing"]
        if len(words) > self.window:
            raise EngineFailed(f"Text {number} has {len(words)} tokens; it takes {self.window}.")
        vector = sum(self._word(word) for word in words)
        return (vector / np.linalg.norm(vector)).tolist()

    def _word(self, word):
        digest = hashlib.sha256(f"{self.salt}{word}".encode()).digest()
        return np.random.default_rng(int.from_bytes(digest[:8])).normal(size=self.dimension)


def text_vectors(embedder=None, name="words", cache=None):
    embedder = embedder or WordModel()
    return TextVectors(embedder, EmbeddingModel(name, embedder.dimension), cache)
