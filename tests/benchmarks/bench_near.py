"""What is near in meaning among everything said: a file of vectors against tables of the library
that keeps passages, for finding and for taking in one message more."""

import tempfile
from pathlib import Path

import numpy as np

from tests.benchmarks import plots
from tests.benchmarks.bench_search import _brute_force, _in_turns, _median, _near, _seconds
from tests.documents.searching import numbered, unit
from webapp.documents.background import Background
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.tables import PassageTables
from webapp.search.finder import FILE
from webapp.search.index import FindIndex, Said
from webapp.search.meaning import Meaning

_DIMENSION = 384
_MODEL = EmbeddingModel("bench", _DIMENSION)
_SIZES = (1_000, 10_000, 100_000)
_AT_ONCE = 1_000


class _Made:
    """The question is its own number in `questions`."""

    model = _MODEL

    def __init__(self, questions):
        self._questions = questions

    def of_question(self, text):
        return self._questions[int(text)]


def rows():
    vectors, questions = _near(_SIZES[-1]).astype(np.float32), unit(20, _DIMENSION, seed=99)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        index = FindIndex(Path(folder) / FILE)
        meaning = Meaning(index, lambda: _Made(questions))
        meaning.begin(_MODEL)
        done = 0
        for size in _SIZES:
            _fill(index, meaning, vectors, range(done, size))
            done = size
            found += _finding(meaning, vectors[:size], questions)
        ours = [_seconds(lambda n=n: _fill(index, meaning, vectors, [size + n])) for n in range(20)]
        found += _against_tables(Path(folder), vectors, questions, meaning, sorted(ours)[10])
        size_mb = index.vectors.stat().st_size / 1e6
        found.append((f"the file of {_SIZES[-1]:,} vectors", f"{size_mb:.0f} MB", ""))
        index.close()
    return found


def _fill(index, meaning, vectors, numbers):
    rows = [Said("bulk", f"m{n}", "user", n, f"Message number {n} of many") for n in numbers]
    for start in range(0, len(rows), _AT_ONCE):
        index.put("bulk", rows[start : start + _AT_ONCE])
    while (unread := meaning.next_unread()) is not None:
        at = int(unread.text.split()[2]) % len(vectors)
        meaning.keep(unread, _MODEL, vectors[at : at + 1])


def _finding(meaning, vectors, questions):
    ours, bare = _in_turns(
        lambda question: _found(meaning, questions, question),
        lambda question: _brute_force(vectors, question),
        questions,
    )
    size = len(vectors)
    plots.note("Finding what is near", "messages", "ms", "ours", size, ours * 1000)
    plots.note("Finding what is near", "messages", "ms", "numpy over all", size, bare * 1000)
    what = f"the nearest of {size:,} messages (numpy over all in memory: {bare * 1000:.1f} ms)"
    return [(what, f"{ours * 1000:.1f} ms", "≤ 100 ms")]


def _found(meaning, questions, question):
    number = next(
        n for n, each in enumerate(questions) if each is question or (each == question).all()
    )
    return meaning.found(str(number), lambda _: True, 8, least=0.0)


def _against_tables(folder, vectors, questions, meaning, ours_adding):
    background = Background()
    tables = PassageTables(folder / "lance", background, index_from=10**9)
    size = len(vectors)
    tables.add("said", _MODEL, "f", numbered(size, "Message"), vectors)
    ours, scan = _in_turns(
        lambda question: _found(meaning, questions, question),
        lambda question: tables.lance.nearest("said", question, 8, ["f"], indexed=False),
        questions[:10],
    )
    copy = _median(lambda each: tables.nearest("said", each, 8, ["f"], "linear"), questions[:10])
    adding = [
        _seconds(lambda n=n: tables.add("said", _MODEL, f"g{n}", numbered(1), vectors[n : n + 1]))
        for n in range(20)
    ]
    after = _seconds(lambda: tables.nearest("said", questions[0], 8, ["f"], "linear"))
    background.close()
    added = sorted(adding)[10]
    return [
        (f"the same / the tables' own scan ({scan * 1000:.0f} ms)", f"{ours / scan:.3f}", ""),
        (f"the same / the tables' copy in memory ({copy * 1000:.0f} ms)", f"{ours / copy:.2f}", ""),
        ("the first search of that copy after a message more", f"{after * 1000:.0f} ms", ""),
        (
            f"one message more ({ours_adding * 1000:.1f} ms) / into the table "
            f"({added * 1000:.0f} ms)",
            f"{ours_adding / added:.2f}",
            "",
        ),
    ]
