"""What tests of uploads share: documents over a real disk and real tables, with an embedder whose
vectors can be held back."""

import io
import itertools
import threading

from tests.conftest import Clock
from tests.documents.searching import WordModel
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.service import Documents

SECONDS = 120.0
CONTRACT = "Either party may end this contract with ninety days of notice.\n"
GARDEN = "Water the tomatoes every morning, the beans in the evening.\n"


class HeldModel(WordModel):
    """A `WordModel` that gives no vectors of passages while its gate is shut."""

    def __init__(self, **facts):
        super().__init__(**facts)
        self.gate = threading.Event()
        self.gate.set()
        self.reached = threading.Event()

    def embed(self, texts, kind):
        if kind == "passage":
            self.reached.set()
            assert self.gate.wait(SECONDS)
        return super().embed(texts, kind)

    @property
    def passages(self):
        """How many were embedded."""
        return sum(len(texts) for kind, texts in self.asked if kind == "passage")


def open_documents(data, embedder=None, name="words", **choices):
    embedder = embedder or WordModel()
    numbers = itertools.count(1)
    choices.setdefault("clock_ms", Clock())
    choices.setdefault("new_id", lambda: f"f{next(numbers):03}-{id(numbers) % 10_000}")
    return Documents(data, embedder, EmbeddingModel(name, embedder.dimension), **choices)


def add(documents, scope, name, content):
    data = content.encode() if isinstance(content, str) else content
    return documents.add(scope, name, io.BytesIO(data), len(data))


def stages(documents, scope):
    return {state.name: state.stage for state in documents.wait_over(scope, SECONDS).files}


def until(documents, scope, condition):
    """The files of `scope` as soon as `condition` holds for them."""
    now = documents.now(scope)
    while not condition(now.files):
        before = now.version
        now = documents.wait(scope, before, SECONDS)
        assert now.version > before, now
    return now.files


def until_stage(documents, scope, file_id, *wanted):
    return until(
        documents,
        scope,
        lambda files: any(state.id == file_id and state.stage in wanted for state in files),
    )


def found(documents, scope, question):
    return [passage.file_name for passage in documents.search([scope], question).passages]


class Slow:
    """An upload of which the second half comes when it is let through."""

    def __init__(self, content):
        half = len(content) // 2
        self._parts = [content[:half], content[half:]]
        self.begun, self.go_on = threading.Event(), threading.Event()

    def read(self, size):
        if len(self._parts) == 1:
            self.begun.set()
            assert self.go_on.wait(SECONDS)
        return self._parts.pop(0) if self._parts else b""
