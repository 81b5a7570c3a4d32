"""Twenty questions over two manuals and ten that need no file, asked of the starter models.

For each model: how often it was right whether files are needed, how often the answer has the known
fact and a number behind a sentence opens the right page, and what a decision costs. Needs the
folder of samples (tests/samples.py), and some ten minutes for each model on two cores."""

import json
import os
import tempfile
import time
from functools import cache
from itertools import count
from pathlib import Path

import pypdfium2

from tests.documents.taking_in import add
from tests.samples import LARGER
from webapp.chat.thinking import spoken
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.service import DocumentOptions, Documents
from webapp.engines.catalog import load_catalog
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.engines.shelf import Shelf
from webapp.generation.service import GenerationService
from webapp.settings import load
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.library import ThreadLibrary

_QUESTIONS = Path(__file__).parents[1] / "data" / "answers" / "questions.jsonl"
_MODELS = ("qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b")
_LONGEST = 600
_CONTEXT = 2048


def rows():
    folder = LARGER
    questions = [json.loads(line) for line in _QUESTIONS.read_text("utf-8").splitlines()]
    names = sorted({each["document"] for each in questions if "document" in each})
    if not all((folder / name).is_file() for name in names):
        return [("answers from files", f"no samples in {LARGER}", "25 of 30 with the 1.5B")]
    wanted = [name for name in _MODELS if os.environ.get("STRATA_BENCH_MODEL", "") in name]
    return [row for name in wanted for row in _of_model(name, questions, folder, names)]


def _of_model(name, questions, folder, names):
    with tempfile.TemporaryDirectory() as data, _Strata(Path(data), name) as strata:
        for document in names:
            strata.attach(folder / document)
        answers = [strata.ask(each["question"]) for each in questions]
    pairs = list(zip(questions, answers, strict=True))
    filed = [(each, answer) for each, answer in pairs if "document" in each]
    decided = sum(_was_searched(answer) == ("document" in each) for each, answer in pairs)
    facts = sum(_has_fact(each, answer) for each, answer in filed)
    pages = sum(_leads_to_page(each, answer) for each, answer in filed)
    seconds = sorted(answer["decided_after"] for answer in answers)
    target = "≥ 25 of 30" if "1.5b" in name else ""
    return [
        (f"files needed or not, {name}", f"{decided} of {len(pairs)} right", target),
        (f"answer has the known fact, {name}", f"{facts} of {len(filed)}", ""),
        (f"a number opens its page, {name}", f"{pages} of {len(filed)}", ""),
        (f"decision and search, median, {name}", f"{seconds[len(seconds) // 2]:.1f} s", ""),
    ]


def _was_searched(answer):
    return any(each["tool"] == "retrieve" for each in answer["usage"].get("trace", ()))


def _has_fact(question, answer):
    said = spoken(answer["text"]).lower()
    return any(fact in said for fact in question["facts"])


def _leads_to_page(question, answer):
    found = answer["grounding"] or {"marks": [], "passages": []}
    marked = [(found["passages"][mark["passage"]], mark) for mark in found["marks"]]
    return any(_is_on(passage, mark, question) for passage, mark in marked)


def _is_on(passage, mark, question):
    """On the page of the words that support the sentence, where that is known. The page that is
    wanted counts sheets from 1; places name what is printed on them."""
    if passage["file"] != question["document"]:
        return False
    place = (mark.get("place") or passage["place"]).partition(",")[0]
    first, _, last = place.removeprefix("pp. ").removeprefix("p. ").partition("–")
    wanted, ends = _labels(question["document"])[question["page"] - 1], (first, last or first)
    if all(each.isdecimal() for each in (wanted, *ends)):
        return int(ends[0]) <= int(wanted) <= int(ends[1])
    return wanted in ends


@cache
def _labels(document):
    path = LARGER / document
    with pypdfium2.PdfDocument(path) as pdf:
        return [pdf.get_page_label(at) or str(at + 1) for at in range(len(pdf))]


class _Strata:
    """Everything but the pages, over a data directory of its own and one thread."""

    def __init__(self, data, name):
        catalog, shelf = load_catalog(), Shelf(load(os.environ, {})[0].models)
        entry = catalog.embedding_default()
        facts = entry.embedding
        prefixes = {"query_prefix": facts.query_prefix, "passage_prefix": facts.passage_prefix}
        paths = shelf.fetch(catalog.entry(name)), shelf.fetch(entry)
        numbers = count()
        self._engine = LlamaCppEngine(*paths, context_tokens=_CONTEXT, threads=0, **prefixes)

        def clock():
            return int(time.time() * 1000)

        def new_id():
            return f"id-{next(numbers)}"

        self._library = ThreadLibrary(JsonlThreadStore(data, clock), clock_ms=clock, new_id=new_id)
        self._documents = Documents(
            data,
            self._engine,
            EmbeddingModel(entry.name, facts.dimension, facts.a, facts.b, *prefixes.values()),
            clock_ms=clock,
            new_id=new_id,
            options=DocumentOptions(use="embeddings"),
        )
        self._service = GenerationService(
            self._engine,
            self._library,
            clock_ms=clock,
            window={"max_output_tokens": 120},
            documents=self._documents,
        )
        self._thread = self._library.create("Questions").id

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._service.close()
        self._documents.close()
        self._engine.close()

    def attach(self, path):
        scope = self._documents.thread(self._thread)
        add(self._documents, scope, path.name, path.read_bytes())
        assert all(each.is_ready for each in self._documents.wait_over(scope, _LONGEST).files)

    def ask(self, question):
        """As the first question of a branch of its own, so that none leans on another."""
        first = next(iter(self._library.path(self._thread)), None)
        began = time.monotonic()
        if first is None:
            pending = self._service.ask(self._thread, question)
        else:
            pending = self._service.edit(self._thread, first.id, question)
        live, version, decided_after = self._service.live(pending.id), -1, 0.0
        while live and not (now := live.wait(version, _LONGEST)).done:
            version = now.version
            if not decided_after and now.detail.startswith("Reading"):
                decided_after = time.monotonic() - began
        answer = self._service.groundings.again(self._thread, pending.id)
        return {
            "text": answer.text,
            "usage": answer.metadata.get("usage", {}),
            "grounding": answer.metadata.get("grounding"),
            "decided_after": decided_after,
        }
