"""What tests of meaning share: an index, a model of words, and somebody who reads it all."""

from contextlib import closing

from tests.documents.searching import WordModel, text_vectors
from webapp.search.finder import FILE
from webapp.search.index import FindIndex
from webapp.search.meaning import Meaning
from webapp.search.meaning_reader import MeaningReader


class Meanings:
    """`vectors` can be exchanged."""

    def __init__(self, folder):
        self.index = FindIndex(folder / FILE)
        self.vectors = text_vectors(WordModel(dimension=384))
        self.meaning = Meaning(self.index, lambda: self.vectors)
        self.reader = MeaningReader(self.meaning)

    def read_all(self):
        count = 0
        while self.reader.read_one():
            count += 1
        return count

    def found(self, question, allowed=lambda _: True, most=8):
        return [each.said.message_id for each in self.meaning.found(question, allowed, most)]

    def slots(self):
        with closing(self.index.reader()) as base:
            return [slot for (slot,) in base.execute("SELECT slot FROM part ORDER BY slot")]

    def numbers(self):
        """Of the vectors on the disk: which slots hold any."""
        size = 4 * self.vectors.model.dimension
        data = self.index.vectors.read_bytes() if self.index.vectors.exists() else b""
        rows = [data[at : at + size] for at in range(0, len(data), size)]
        return [slot for slot, row in enumerate(rows) if any(row)]

    def close(self):
        self.reader.close()
        self.index.close()
