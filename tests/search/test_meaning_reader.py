"""Reading in the background: bit by bit, out of the way, again after an interruption."""

import threading

import pytest

from tests.documents.searching import WordModel, text_vectors
from tests.search.meanings import Meanings
from webapp.errors import EngineFailed
from webapp.search import meaning_reader
from webapp.search.index import Said

LONG = "".join(f"Sentence {n} is about the harbour wall and its keeper. " for n in range(100))


@pytest.fixture
def all_said(tmp_path, monkeypatch):
    monkeypatch.setattr(meaning_reader, "_LOOKS_AGAIN", 0.01)
    monkeypatch.setattr(meaning_reader, "_FIRST_DELAY", 0.01)
    meanings = Meanings(tmp_path)
    meanings.model = WordModel()
    meanings.vectors = text_vectors(meanings.model)
    meanings.index.put(
        "a", [Said("a", f"m{n}", "user", n, f"Message {n} of many") for n in range(5)]
    )
    yield meanings
    meanings.close()


def wait_for(ready):
    pause = threading.Event()
    for _ in range(1000):
        if ready():
            return
        pause.wait(0.01)
    raise AssertionError("it never came")


def test_everything_is_read_the_newest_first(all_said):
    all_said.reader.start()
    wait_for(lambda: all_said.meaning.behind() == 0)
    texts = [text for _, (text,) in all_said.model.asked]
    assert texts == [f"Message {n} of many" for n in (4, 3, 2, 1, 0)]
    all_said.index.put("a", [Said("a", "new", "user", 9, "One more message here")])
    wait_for(lambda: all_said.meaning.behind() == 0)


def test_nothing_is_read_while_somebody_waits_for_an_answer(all_said):
    busy = threading.Event()
    busy.set()
    all_said.reader.quiet = lambda: not busy.is_set()
    all_said.reader.start()
    assert not threading.Event().wait(0.2) and not all_said.model.asked
    busy.clear()
    wait_for(lambda: all_said.meaning.behind() == 0)


def test_a_question_is_let_in_between_the_parts_of_a_long_message(all_said):
    all_said.index.put("a", [Said("a", "long", "user", 99, LONG)])
    read = []
    all_said.reader.quiet = lambda: read.append(len(all_said.model.asked)) or True
    assert all_said.reader.read_one()
    assert [len(texts) for _, texts in all_said.model.asked] == [4, 4] and read == [1, 2]


def test_switched_off_it_reads_nothing_and_keeps_nothing(all_said):
    all_said.reader.start()
    wait_for(lambda: all_said.meaning.behind() == 0)
    all_said.reader.on = False
    wait_for(lambda: all_said.meaning.behind() == 5)
    assert not all_said.index.vectors.exists() and all_said.found("Message 3 of many") == []
    all_said.reader.on = True
    wait_for(lambda: all_said.meaning.behind() == 0)


def test_what_is_gone_is_wiped_without_any_model(all_said):
    all_said.reader.start()
    wait_for(lambda: all_said.meaning.behind() == 0)
    all_said.reader.quiet = lambda: False
    all_said.index.drop("a")
    wait_for(lambda: all_said.numbers() == [])


def test_it_ends_at_once_and_what_was_not_read_stays_unread(all_said):
    all_said.index.put("a", [Said("a", "long", "user", 99, LONG)])
    all_said.reader.quiet = lambda: not all_said.model.asked
    all_said.reader.start()
    wait_for(lambda: all_said.model.asked)
    all_said.reader.close()
    assert all_said.meaning.behind() == 6


def test_a_model_that_comes_back_goes_on(all_said):
    all_said.model.broken = True
    all_said.reader.start()
    wait_for(lambda: len(all_said.model.asked) > 2)
    assert all_said.meaning.behind() == 5
    all_said.model.broken = False
    wait_for(lambda: all_said.meaning.behind() < 5)


def test_a_text_that_no_model_takes_does_not_hold_up_the_others(all_said):
    embed = all_said.model.embed

    def picky(texts, kind):
        if any("3" in text for text in texts):
            raise EngineFailed("Not this one.")
        return embed(texts, kind)

    all_said.model.embed = picky
    with pytest.raises(EngineFailed):
        while all_said.reader.read_one():
            pass
    while all_said.reader.read_one():
        pass
    assert all_said.meaning.behind() == 1
