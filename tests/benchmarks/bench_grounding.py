"""What checking an answer costs beside the embedding of its texts, and a search within a turn."""

import itertools
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.documents.real import open_model
from tests.documents.searching import WordModel
from tests.documents.taking_in import add, open_documents
from webapp.chat.excerpts import Excerpt
from webapp.documents.retrieval import Search
from webapp.documents.service import DocumentOptions, Documents
from webapp.documents.tools import TOOLS
from webapp.documents.tools.tool import Reach, call
from webapp.generation.groundings import Groundings
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.library import ThreadLibrary

_SENTENCES, _PASSAGES, _ROUNDS = 30, 5, 3
_CHUNKS, _QUESTIONS = 10_000, 20
_MINUTES = 15 * 60
_SAID = "In year {0} of the harbour, the {1} ships that came late paid {2} euros to its master. "


def rows() -> list[tuple[str, str, str]]:
    return [_grounding(), _retrieval()]


def _said(count: int, seed: int) -> str:
    return "".join(_SAID.format(seed + n, 3 * n + seed, 7 * n + 40) for n in range(count)).strip()


def _grounding() -> tuple[str, str, str]:
    engine, vectors = open_model("multilingual-e5-small")
    numbers = itertools.count(1)
    try:
        with tempfile.TemporaryDirectory() as name:
            documents = Documents(
                Path(name), engine, vectors.model, clock_ms=lambda: 1, new_id=lambda: "f"
            )
            store = JsonlThreadStore(Path(name), lambda: 1)
            library = ThreadLibrary(store, clock_ms=lambda: 1, new_id=lambda: f"i{next(numbers)}")
            groundings = Groundings(documents, library, 0.65)
            thread = library.create("Bench").id
            engine.embed(["passage to begin with"], "passage")
            times = [_one(groundings, library, engine, thread, n) for n in range(_ROUNDS)]
            groundings.close()
            documents.close()
            store.close()
    finally:
        engine.close()
    ours, bare = (sum(each) for each in zip(*times, strict=True))
    what = f"checking {_SENTENCES} sentences against {_PASSAGES} passages"
    return f"{what} ({ours / _ROUNDS:.2f} s) / embedding them", f"{ours / bare:.2f}", "≤ 1.5"


def _one(groundings, library, engine, thread, turn):  # type: ignore[no-untyped-def]
    """Seconds for the check of a new answer, kept with it, and for its bare texts; none of them
    was embedded before."""
    answer = library.begin_answer(thread, library.ask(thread, f"Question {turn}").id)
    texts = [_said(5, 1000 * (turn + 1) + 10 * n) for n in range(_PASSAGES)]
    kept = [Excerpt(id=str(n), text=text).to_data() for n, text in enumerate(texts)]
    said = _said(_SENTENCES, 9000 + 100 * turn)
    facts = {"status": "ready", "error": "", "usage": {"passages": kept}}
    library.finish_answer(thread, answer.id, text=said, **facts)
    bare = [_SAID.format(20_000 + 50 * turn + n, n + 9, n + 50) for n in range(_SENTENCES)]
    bare += [_said(5, 30_000 + 1000 * turn + 10 * n) for n in range(_PASSAGES)]
    ours = _seconds(lambda: groundings.again(thread, answer.id))
    return ours, _seconds(lambda: engine.embed(bare, "passage"))


def _retrieval() -> tuple[str, str, str]:
    """The tool's whole call, less what its embedder took: words are embedded at once here."""
    told = (f"Passage {n} tells of ship {n % 97} at gate {n % 61}. " for n in range(_CHUNKS))
    with tempfile.TemporaryDirectory() as name:
        model, options = WordModel(), DocumentOptions(use="embeddings")
        documents = open_documents(Path(name), model, options=options)
        scope = documents.thread("bench")
        add(documents, scope, "ships.txt", "\n\n".join(line * 11 for line in told))
        documents.wait_over(scope, _MINUTES)
        documents.wait_idle(_MINUTES)
        reach = Reach(documents, (scope,), Search())
        asked = [{"query": f"Which ship passed gate {n}?"} for n in range(_QUESTIONS + 1)]
        call(TOOLS["retrieve"], reach, asked[-1])
        times = [_seconds(lambda q=q: call(TOOLS["retrieve"], reach, q)) for q in asked[:-1]]
        count = sum(state.facts.chunks for state in documents.status(scope))
        documents.close()
    what = f"search within a turn, {count:,} passages, without its embedding"
    return what, f"{statistics.median(times) * 1000:.0f} ms", "≤ 50 ms"


def _seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start
