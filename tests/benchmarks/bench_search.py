"""Search through passages: against numpy, against SQLite with sqlite-vec, against the library's own
scan, against few tables; and where the time of taking in a file goes."""

import itertools
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import numpy as np
import sqlite_vec

from tests.benchmarks import plots
from tests.documents.parsing import made
from tests.documents.real import open_model
from tests.documents.searching import numbered, unit
from webapp.documents.background import Background
from webapp.documents.chunking import chunks
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.parsing.reading import read
from webapp.documents.tables import PassageTables
from webapp.documents.vectors import Vectors

_DIMENSION = 384
_MODEL = EmbeddingModel("bench", _DIMENSION)
_SIZES = (1_000, 10_000, 100_000)
_OTHER_TABLES = 1_000
_PASSAGE = (
    "The harbour wall keeps the wind off until noon, and the boats lie still. "
    "Whoever comes late finds the gate closed and waits for the second tide."
)


def rows() -> list[tuple[str, str, str]]:
    with tempfile.TemporaryDirectory() as name:
        background = Background()
        tables = PassageTables(Path(name) / "lance", background, index_from=5_000)
        questions = unit(40, _DIMENSION, seed=99)
        found = []
        for size in _SIZES:
            vectors = _near(size)
            tables.add(f"table{size}", _MODEL, "f", numbered(size, _PASSAGE), vectors)
            found += _exact(tables, size, vectors, questions)
        found.append(_against_sqlite_vec(tables, _SIZES[-1], vectors, questions))
        background.wait(600)
        found += _indexed(tables, _SIZES[-1], questions)
        found.append(_among_many(tables, questions))
        background.close()
    return [*found, _embedding(), _share_of_parsing()]


def _near(size: int) -> Vectors:
    """Vectors in groups, as those of real texts are."""
    centres = unit(200, _DIMENSION, seed=1)[np.random.default_rng(2).integers(0, 200, size)]
    vectors = centres + unit(size, _DIMENSION, seed=3)
    found: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return found


def _exact(
    tables: PassageTables, size: int, vectors: Vectors, questions: Vectors
) -> list[tuple[str, str, str]]:
    name = f"table{size}"
    ours, bare = _in_turns(
        lambda question: tables.nearest(name, question, 5, ["f"], "linear"),
        lambda question: _brute_force(vectors, question),
        questions,
    )
    words = _median(lambda _: tables.matching(name, "the gate closed", 5, ["f"]), questions[:5])
    for line, seconds in (("by meaning", ours), ("numpy over all", bare), ("by words", words)):
        plots.note("Searching passages", "passages", "ms", line, size, seconds * 1000)
    return [
        (
            f"exact search of {size:,} passages ({ours * 1000:.2f} ms) / numpy brute force",
            f"{ours / bare:.2f}",
            "≤ 2",
        ),
        (f"search of {size:,} passages for words", f"{words * 1000:.1f} ms", ""),
    ]


def _brute_force(vectors: Vectors, question: Vectors) -> list[int]:
    found = vectors @ question
    best = np.argpartition(found, -5)[-5:]
    order: list[int] = best[np.argsort(-found[best])].tolist()
    return order


def _against_sqlite_vec(
    tables: PassageTables, size: int, vectors: Vectors, questions: Vectors
) -> tuple[str, str, str]:
    """Python's own `sqlite3` is often built without extensions; apsw always takes them."""
    database = apsw.Connection(":memory:")
    database.enable_load_extension(True)
    database.load_extension(sqlite_vec.loadable_path())
    database.execute(
        f"CREATE VIRTUAL TABLE v USING vec0(e float[{_DIMENSION}] distance_metric=cosine)"
    )
    with database:
        database.executemany(
            "INSERT INTO v(rowid, e) VALUES (?, ?)",
            ((at, one.tobytes()) for at, one in enumerate(vectors.astype(np.float32))),
        )

    def theirs(question: Vectors) -> object:
        asked = question.astype(np.float32).tobytes()
        return list(
            database.execute("SELECT rowid, distance FROM v WHERE e MATCH ? AND k = 5", (asked,))
        )

    ours, other = _in_turns(
        lambda question: tables.nearest(f"table{size}", question, 5, ["f"], "linear"),
        theirs,
        questions[:10],
    )
    what = f"the same of {size:,} / SQLite with sqlite-vec ({other * 1000:.0f} ms)"
    return what, f"{ours / other:.3f}", "≤ 0.4"


def _indexed(tables: PassageTables, size: int, questions: Vectors) -> list[tuple[str, str, str]]:
    name = f"table{size}"
    kept, off = 0, 0.0
    for question in questions:
        exact = {
            hit.passage.id: hit.cosine for hit in tables.nearest(name, question, 5, ["f"], "linear")
        }
        for hit in tables.nearest(name, question, 5, ["f"], "ann"):
            if hit.passage.id in exact:
                kept += 1
                off = max(off, abs(hit.cosine - exact[hit.passage.id]))
    index, scan = _in_turns(
        lambda question: tables.nearest(name, question, 5, ["f"], "ann"),
        lambda question: tables.lance.nearest(name, question, 5, ["f"], indexed=False),
        questions[:20],
    )
    return [
        (f"index of {size:,} passages: recall@5", f"{kept / (5 * len(questions)):.3f}", "≥ 0.99"),
        ("the same: scores differ by", f"{off:.6f}", "≤ 0.001"),
        (
            f"the same ({index * 1000:.1f} ms) / the library's flat scan ({scan * 1000:.0f} ms)",
            f"{index / scan:.3f}",
            "≤ 0.1",
        ),
    ]


def _among_many(tables: PassageTables, questions: Vectors) -> tuple[str, str, str]:
    """One small table in a folder of its own, and in one with 1,000 more."""
    with tempfile.TemporaryDirectory() as name:
        background = Background()
        alone = PassageTables(Path(name) / "lance", background)
        for each in (tables, alone):
            each.add("small", _MODEL, "f", numbered(50), unit(50, _DIMENSION))
        for number in range(_OTHER_TABLES):
            tables.add(f"other{number}", _MODEL, "f", numbered(20), unit(20, _DIMENSION))
        among, by_itself = _in_turns(
            lambda question: tables.nearest("small", question, 5, ["f"], "linear"),
            lambda question: alone.nearest("small", question, 5, ["f"], "linear"),
            np.concatenate([questions] * 5),
        )
        background.close()
    what = f"search of one table among {_OTHER_TABLES:,} ({among * 1000:.2f} ms) / alone"
    return what, f"{among / by_itself:.2f}", "≤ 1.2"


def _embedding() -> tuple[str, str, str]:
    engine, vectors = open_model("multilingual-e5-small")
    texts = [f"{number}. {_PASSAGE}" for number in range(48)]
    try:
        vectors.of_passages(texts[:2])
        times = [
            (
                _seconds(lambda part=part: vectors.of_passages(part)),
                _seconds(lambda part=part: engine.embed(part, "passage")),
            )
            for part in (texts[:24], texts[24:])
        ]
    finally:
        engine.close()
    ours, bare = (sum(each) for each in zip(*times, strict=True))
    what = f"embedding through batches ({len(texts) / ours:.1f} passages/s) / the bare engine"
    return what, f"{bare / ours:.2f}", "≥ 0.95"


def _share_of_parsing() -> tuple[str, str, str]:
    """A PDF of 100 pages: read in a child, cut, embedded."""
    lines = [f"{number}. {_PASSAGE}"[:150] for number in range(1_800)]
    pages = [
        "BT /F 10 Tf 40 760 Td 14 TL "
        + " ".join(f"({line}) Tj T*" for line in lines[at : at + 18])
        + " ET"
        for at in range(0, len(lines), 18)
    ]
    engine, vectors = open_model("multilingual-e5-small")
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = made.pdf(Path(folder) / "long.pdf", pages)
            start = time.perf_counter()
            document = read(path, "long.pdf", lambda *_: None, threading.Event())
            parsed = time.perf_counter()
            assert document is not None
            texts = [each.text for each in chunks(document)]
            cut = time.perf_counter()
            vectors.of_passages(texts)
            over = time.perf_counter()
    finally:
        engine.close()
    what = f"a PDF of {len(pages)} pages, {len(texts)} passages: parsing, of {over - start:.1f} s"
    rest = f"{(parsed - start) / (over - start):.0%} ({parsed - start:.1f} s)"
    return what, f"{rest}, cutting {cut - parsed:.2f} s", ""


def _in_turns(
    first: Callable[[Vectors], object], second: Callable[[Vectors], object], questions: Vectors
) -> tuple[float, float]:
    """Medians of both, measured alternately so that a busy machine is unfair to neither."""
    first(questions[0]), second(questions[0])
    times = [
        (_seconds(lambda q=question: first(q)), _seconds(lambda q=question: second(q)))
        for question in questions
    ]
    one, two = (statistics.median(each) for each in itertools.zip_longest(*times))
    return one, two


def _median(act: Callable[[Vectors], object], questions: Vectors) -> float:
    act(questions[0])
    return statistics.median(_seconds(lambda q=question: act(q)) for question in questions)


def _seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start
