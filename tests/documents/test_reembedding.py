"""Another embedding model: the old passages serve until the new vectors take their place."""

import threading

import pytest

from tests.documents.searching import WordModel, passages, text_vectors
from webapp.documents.background import Background
from webapp.documents.reembedding import Failed, Reembedding, Running
from webapp.documents.retrieval import Retrieval
from webapp.documents.vector_cache import VectorCache
from webapp.errors import Conflict

TABLE = "attachments_a"
TEXTS = [f"note {number} about the harbour" for number in range(30)]
FILES = {"f": "notes.txt", "g": "more.txt"}


class SlowModel(WordModel):
    """Waits before its second batch until the test lets it go on."""

    def __init__(self):
        super().__init__("new")
        self.begun, self.go_on = threading.Event(), threading.Event()

    def embed(self, texts, kind):
        if kind == "passage" and len(self.asked) == 1:
            self.begun.set()
            assert self.go_on.wait(10)
        return super().embed(texts, kind)


@pytest.fixture
def old(tables, vectors):
    chunks = passages(*TEXTS)
    tables.add(TABLE, vectors.model, "f", chunks, vectors.of_passages(TEXTS))
    return vectors


def ids(answers):
    return [passage.id for passage in answers.passages]


def test_tables_of_another_model_are_noticed_and_embedded_again(tables, background, old):
    new = text_vectors(WordModel("new", dimension=32), name="new")
    again = Reembedding(tables, background, lambda: new)
    assert again.outdated() == [TABLE]
    again.start(TABLE)
    assert background.wait(30)
    assert again.outdated() == []
    assert again.state(TABLE) is None
    facts = tables.facts(TABLE)
    assert (facts.space, facts.dimension, facts.rows) == (new.model.space, 32, len(TEXTS))
    answers = Retrieval(tables, lambda: new).search("note 7 about the harbour", {TABLE: FILES})
    assert ids(answers)[0] == "f-7"
    assert answers.passages[0].by == "meaning"
    assert answers.passages[0].text == TEXTS[7]


def test_search_works_all_the_while(tables, background, old):
    model = SlowModel()
    new = text_vectors(model, name="new")
    again = Reembedding(tables, background, lambda: new)
    again.start(TABLE)
    assert model.begun.wait(10)
    state = again.state(TABLE)
    assert isinstance(state, Running)
    assert 0 < state.done < state.total == len(TEXTS)
    question = "note 12 about the harbour"
    assert ids(Retrieval(tables, lambda: old).search(question, {TABLE: FILES}))[0] == "f-12"
    by_words = Retrieval(tables, lambda: new).search(question, {TABLE: FILES})
    assert ids(by_words)[0] == "f-12"
    assert by_words.passages[0].by == "words"
    model.go_on.set()
    assert background.wait(30)
    by_meaning = Retrieval(tables, lambda: new).search(question, {TABLE: FILES})
    assert by_meaning.passages[0].by == "meaning"


def test_a_file_deleted_meanwhile_does_not_come_back(tables, background, old):
    tables.add(TABLE, old.model, "g", passages("secret plan"), old.of_passages(["secret plan"]))
    model = SlowModel()
    new = text_vectors(model, name="new")
    again = Reembedding(tables, background, lambda: new)
    again.start(TABLE)
    assert model.begun.wait(10)
    tables.remove(TABLE, ["g"])
    model.go_on.set()
    assert background.wait(30)
    assert tables.facts(TABLE).space == new.model.space
    assert tables.facts(TABLE).rows == len(TEXTS)
    assert ids(Retrieval(tables, lambda: new).search("secret plan", {TABLE: FILES})) == []


def test_a_table_dropped_meanwhile_does_not_come_back(tables, background, old):
    model = SlowModel()
    again = Reembedding(tables, background, lambda: text_vectors(model, name="new"))
    again.start(TABLE)
    assert model.begun.wait(10)
    tables.drop(TABLE)
    model.go_on.set()
    assert background.wait(30)
    assert tables.names() == []
    assert again.state(TABLE) is None


def test_a_model_that_fails_leaves_the_old_passages_and_a_sentence(tables, background, old):
    model = WordModel("new")
    model.broken = True
    again = Reembedding(tables, background, lambda: text_vectors(model, name="new"))
    again.start(TABLE)
    assert background.wait(30)
    state = again.state(TABLE)
    assert isinstance(state, Failed)
    assert "has gone" in state.error.what
    assert tables.facts(TABLE).space == old.model.space
    model.broken = False
    again.start(TABLE)
    assert background.wait(30)
    assert again.state(TABLE) is None


def test_what_is_as_it_should_be_is_left_alone(tables, background, old):
    model = old._embedder
    model.asked.clear()
    again = Reembedding(tables, background, lambda: old)
    again.embed_again(TABLE)
    again.embed_again("attachments_none")
    assert model.asked == []
    assert again.outdated() == []


def test_stopping_the_server_interrupts_and_the_rest_is_done_after_the_start(tables, old, tmp_path):
    first, second = Background(), Background()

    class Stopped(WordModel):
        def embed(self, texts, kind):
            if len(self.asked) == 1:
                first.close()
            return super().embed(texts, kind)

    model = Stopped("new")
    new = text_vectors(model, name="new", cache=VectorCache(tmp_path / "vectors"))
    with pytest.raises(Conflict, match="cancelled"):
        Reembedding(tables, first, lambda: new).embed_again(TABLE)
    assert tables.facts(TABLE).space == old.model.space
    done = {text for _, batch in model.asked for text in batch}
    assert 0 < len(done) < len(TEXTS)
    model.asked.clear()
    Reembedding(tables, second, lambda: new).embed_again(TABLE)
    second.close()
    assert done.isdisjoint({text for _, batch in model.asked for text in batch})
    assert tables.facts(TABLE).space == new.model.space


def test_a_table_that_never_rests_is_given_up_in_a_sentence(tables, background, old):
    numbers = iter(range(10**6))

    class Restless(WordModel):
        def embed(self, texts, kind):
            name = f"x{next(numbers)}"
            tables.lance.add(
                TABLE, old.model.space, name, passages("new"), old.of_passages(["new"])
            )
            return super().embed(texts, kind)

    again = Reembedding(tables, background, lambda: text_vectors(Restless("r"), name="restless"))
    with pytest.raises(Conflict, match="keep changing"):
        again.embed_again(TABLE)


@pytest.mark.model
def test_from_one_real_model_to_another(tables, background, english, multilingual):
    texts = ("The notice period is ninety days.", "合同的通知期为九十天。", "The moon has no air.")
    tables.add(TABLE, english.model, "f", passages(*texts), english.of_passages(texts))
    again = Reembedding(tables, background, lambda: multilingual)
    again.embed_again(TABLE)
    found = Retrieval(tables, lambda: multilingual).search("通知期有多长?", {TABLE: FILES})
    assert ids(found)[0] == "f-1"
    assert found.passages[0].by == "meaning"
