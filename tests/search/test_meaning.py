"""What is near in meaning: kept beside the index of words, and gone with it."""

import pytest

from tests.documents.searching import WordModel, text_vectors
from tests.engines.real_models import chat_model, embed_model
from tests.search.meanings import Meanings
from webapp.documents.embedding import EmbeddingModel, TextVectors
from webapp.engines.catalog import load_catalog
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.search.finder import FILE, Finder
from webapp.search.index import Filters, FindIndex, Said

DOG = "My dog is afraid of thunder"
SEA = "The tide comes twice a day"


@pytest.fixture
def all_said(tmp_path):
    meanings = Meanings(tmp_path)
    meanings.index.put("a", [said("dog", DOG, 1), said("sea", SEA, 2)])
    yield meanings
    meanings.close()


def said(id, text, moment, thread="a", role="user"):
    return Said(thread, id, role, moment, text)


def test_the_nearest_comes_first_and_what_is_far_not_at_all(all_said):
    assert all_said.meaning.behind() == 2
    assert all_said.read_all() == 2 and all_said.meaning.behind() == 0
    assert all_said.found("dog afraid of thunder") == ["dog"]
    near, *_ = all_said.meaning.found("the dog afraid of thunder", lambda _: True, 8)
    assert (near.text, near.said.thread_id) == (DOG, "a") and 0.18 < near.score <= 1


def test_before_anything_is_read_nothing_is_found(all_said):
    assert all_said.found(DOG) == []


def test_only_what_is_allowed(all_said):
    all_said.index.put("b", [said("other", f"{DOG} too", 3, "b")])
    all_said.read_all()
    assert all_said.found(DOG) == ["dog", "other"]
    assert all_said.found(DOG, lambda said: said.thread_id != "a") == ["other"]


def test_what_is_allowed_is_found_behind_thousands_that_are_not(all_said):
    many = [said(f"m{n}", f"{DOG} {n}", 10 + n, "b") for n in range(400)]
    all_said.index.put("b", many)
    all_said.read_all()
    assert all_said.found(DOG, lambda said: said.thread_id == "a") == ["dog"]


def test_titles_and_tools_are_not_read(all_said):
    rows = [said(role, DOG, 5, "c", role) for role in ("title", "tool", "system")]
    all_said.index.put("c", [*rows, said("answer", f"{DOG}!", 5, "c", "assistant")])
    assert all_said.read_all() == 3
    assert set(all_said.found(DOG)) == {"dog", "answer"}


def test_a_message_that_goes_takes_its_vectors_along(all_said):
    all_said.read_all()
    assert all_said.numbers() == all_said.slots() == [0, 1]
    all_said.index.remove("a", ["dog"])
    assert all_said.found(DOG) == [] and len(all_said.slots()) == 1
    all_said.read_all()
    assert all_said.numbers() == all_said.slots()
    all_said.index.drop("a")
    all_said.read_all()
    assert all_said.numbers() == [] == all_said.slots()


def test_a_place_that_was_wiped_is_used_again(all_said):
    all_said.read_all()
    all_said.index.remove("a", ["dog"])
    all_said.index.put("a", [said("cat", "My cat is afraid of water", 9)])
    all_said.read_all()
    all_said.index.put("a", [said("cow", "A cow stands in the rain", 10)])
    all_said.read_all()
    assert all_said.slots() == [0, 1, 2] == all_said.numbers()
    assert all_said.found("My cat is afraid of water") == ["cat"]
    assert all_said.found(SEA)[:1] == ["sea"]


def test_a_message_with_other_words_is_read_again(all_said):
    all_said.read_all()
    all_said.index.put("a", [said("dog", "Nobody knows where the copper wire is", 1)])
    assert all_said.found(DOG) == [] and all_said.meaning.behind() == 1
    all_said.read_all()
    assert all_said.found("where is the copper wire")[:1] == ["dog"]


def test_what_changed_while_it_was_read_is_not_kept(all_said):
    model = all_said.vectors.model
    all_said.meaning.begin(model)
    unread = all_said.meaning.next_unread()
    vectors = all_said.vectors.of_questions(unread.texts)
    all_said.index.put("a", [said("sea", "Other words altogether", 2)])
    all_said.meaning.keep(unread, model, vectors)
    assert all_said.slots() == [] and all_said.meaning.behind() == 2


def test_marks_change_nothing_about_it(all_said):
    all_said.read_all()
    all_said.index.marks("a", "dog", 1, on=True)
    assert all_said.meaning.behind() == 0 and all_said.found(DOG) == ["dog"]


def test_another_model_begins_anew(all_said):
    all_said.read_all()
    all_said.vectors = text_vectors(WordModel(salt="x", dimension=32), "other")
    assert all_said.found(DOG) == []
    assert all_said.read_all() == 2 and all_said.found(DOG) == ["dog"]
    assert all_said.index.vectors.stat().st_size == 2 * 4 * 32


def test_it_is_there_after_a_restart_and_goes_with_the_index(all_said, tmp_path):
    all_said.read_all()
    all_said.close()
    again = Meanings(tmp_path)
    assert again.found(DOG) == ["dog"] and again.meaning.behind() == 0
    again.index.clear()
    assert not again.index.vectors.exists() and again.found(DOG) == []
    again.close()


def test_an_index_that_is_torn_leaves_no_vectors_behind(all_said, tmp_path):
    all_said.read_all()
    all_said.close()
    (tmp_path / FILE).write_bytes(b"torn" * 100)
    index = FindIndex(tmp_path / FILE)
    assert index.count() == 0 and not index.vectors.exists()
    index.close()


def test_of_a_long_message_the_part_is_told(all_said):
    text = f"{'Nothing happens in this sentence. ' * 18}\n{DOG}."
    all_said.index.put("a", [said("long", text, 20)])
    all_said.read_all()
    found = all_said.meaning.found(f"{DOG}.", lambda said: said.message_id == "long", 8)
    assert DOG in found[0].text and text[found[0].start : found[0].end] == found[0].text


def test_equal_texts_are_found_once(all_said):
    all_said.index.put("b", [said("copy", DOG, 50, "b")])
    all_said.read_all()
    assert len(all_said.found(DOG)) == 1


@pytest.fixture
def real():
    facts = load_catalog().entry("multilingual-e5-small").embedding
    prefixes = {"query_prefix": facts.query_prefix, "passage_prefix": facts.passage_prefix}
    engine = LlamaCppEngine(chat_model(), embed_model(), context_tokens=512, threads=0, **prefixes)
    model = EmbeddingModel("e5", facts.dimension, facts.a, facts.b, **prefixes)
    yield TextVectors(engine, model)
    engine.close()


SAID = {
    "sister": "My sister Anna moves to Lisbon next spring.",
    "contract": "Either party may end the contract with ninety days of notice.",
    "helmet": "You could wear a helmet when you ride your bicycle in the city.",
    "dog": "我的狗害怕打雷，所以下雨天我们留在家里。",
    "meeting": "今天的会议改到下午三点。",
    "tide": "The moon pulls at the sea twice a day, so the water rises and falls.",
    "thanks": "Thank you, that was very helpful.",
    "code": "def add(a, b):\n    return a + b",
}


@pytest.mark.model
def test_the_real_model_finds_what_words_do_not(tmp_path, real):
    finder = Finder(tmp_path, None)
    rows = [Said("a", id, "user", n, text) for n, (id, text) in enumerate(SAID.items())]
    finder.index.put("a", rows)
    finder.meaning.vectors = lambda: real
    while finder.reader.read_one():
        pass
    for question, wanted in {
        "Which relative relocates to Portugal?": "sister",
        "cancel the agreement early": "contract",
        "cycling safety": "helmet",
        "宠物怕暴风雨": "dog",
        "开会时间变更": "meeting",
        "why does the level of the ocean change": "tide",
    }.items():
        assert finder.find(question, Filters(), lambda _: True).hits == ()
        near = finder.near(question, Filters(), lambda _: True)
        assert near.hits and near.hits[0].said.message_id == wanted, question
    # Single words too, which such a model puts near everything, and another kind of writing.
    for question in ("football results", "xyzzy", "invoice", "gym", "quantum physics", "足球比赛"):
        assert finder.near(question, Filters(), lambda _: True).hits == ()
    finder.close()
