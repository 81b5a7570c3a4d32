"""How often the passage that answers a question is found: by meaning, by words, by both.

Needs the folder of samples (tests/samples.py), with `qa.jsonl` and the documents its lines name: an
answer counts as found when one passage holds all of it."""

import json
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.documents.real import open_model
from tests.samples import LARGER
from webapp.documents.background import Background
from webapp.documents.chunking import Chunk, chunks
from webapp.documents.embedding import TextVectors
from webapp.documents.parsing.reading import read
from webapp.documents.retrieval import Retrieval, Search
from webapp.documents.tables import PassageTables

_TABLE = "attachments_bench"
_MOST_PAGES = 75
_DEPTH = 20

Ask = Callable[[str], list[str]]


def rows() -> list[tuple[str, str, str]]:
    folder = LARGER
    if not (folder / "qa.jsonl").is_file():
        return [("questions and answers", f"no samples in {LARGER}", "hybrid hit@3 18 of 30")]
    lines = (folder / "qa.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    with tempfile.TemporaryDirectory() as name:
        background = Background()
        tables = PassageTables(Path(name), background)
        engine, vectors = open_model("multilingual-e5-small")
        try:
            count = _fill(tables, vectors, folder, {each["document"] for each in questions})
            background.wait(60)
            found = [
                _row(f"{what}, {count:,} passages", questions, ask)
                for what, ask in _ways(tables, vectors, questions).items()
            ]
        finally:
            engine.close()
            background.close()
    return found


def _fill(tables: PassageTables, vectors: TextVectors, folder: Path, names: set[str]) -> int:
    count = 0
    for name in sorted(names):
        document = read(folder / name, name, lambda *_: None, threading.Event())
        assert document is not None
        passages = [chunk for chunk in chunks(document) if _first_page(chunk) <= _MOST_PAGES]
        made = vectors.of_passages([chunk.searched for chunk in passages])
        tables.add(_TABLE, vectors.model, name, passages, made)
        count += len(passages)
    return count


def _first_page(chunk: Chunk) -> int:
    return next((place.number for place in chunk.places if place.kind == "page"), 0)


def _ways(
    tables: PassageTables, vectors: TextVectors, questions: list[dict[str, Any]]
) -> dict[str, Ask]:
    files = {each["document"]: each["document"] for each in questions}
    retrieval = Retrieval(tables, lambda: vectors)

    def by(search: Search) -> Ask:
        return lambda question: [
            passage.text for passage in retrieval.search(question, {_TABLE: files}, search).passages
        ]

    return {
        "vector": by(Search(_DEPTH, 0.0, "vector")),
        "text": lambda question: [
            hit.passage.text for hit in tables.matching(_TABLE, question, _DEPTH, files)
        ],
        "hybrid": by(Search(_DEPTH, 0.0, "hybrid")),
        "hybrid, scores from 0.3": by(Search(_DEPTH, 0.3, "hybrid")),
    }


def _row(what: str, questions: list[dict[str, Any]], ask: Ask) -> tuple[str, str, str]:
    hits: dict[str, int] = defaultdict(int)
    reciprocal = 0.0
    for each in questions:
        answer = _flat(each["answer"])
        ranks = [n for n, text in enumerate(ask(each["question"]), 1) if answer in _flat(text)]
        hits[each["lang"]] += bool(ranks) and ranks[0] <= 3
        reciprocal += 1 / ranks[0] if ranks else 0
    by_language = ", ".join(f"{language} {count}" for language, count in sorted(hits.items()))
    measured = f"{sum(hits.values())} of {len(questions)} ({by_language}), MRR "
    target = "≥ 18 of 30" if what.startswith("hybrid,") else ""
    return f"answer in the first 3: {what}", f"{measured}{reciprocal / len(questions):.2f}", target


def _flat(text: str) -> str:
    return " ".join(text.split())
