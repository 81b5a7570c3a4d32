"""What was said before that fits a question best."""

import pytest

from webapp.search.finder import FILE
from webapp.search.index import FindIndex, Said
from webapp.search.recalled import LONGEST_PASSAGE, recalled

DOG = "By the way: my dog is called Bello, and he is afraid of thunder."


@pytest.fixture
def index(tmp_path):
    index = FindIndex(tmp_path / FILE)
    fill = [Said("t", f"m{n}", "user", n, f"The tide of day {n} is called low") for n in range(40)]
    index.put("t", fill)
    yield index
    index.close()


def found(index, question, allowed=lambda _: True, most=4):
    return [each.said.message_id for each in recalled(index, question, allowed, most)]


def test_a_question_in_other_words_finds_what_was_said(index):
    index.put("dogs", [Said("dogs", "dog", "user", 50, DOG)])
    assert found(index, "What is the name of my dog?")[:1] == ["dog"]
    [first, *_] = recalled(index, "How is my dog called?", lambda _: True, 4)
    assert first.text == DOG and first.score == 1


def test_only_threads_that_are_allowed(index):
    index.put("dogs", [Said("dogs", "dog", "user", 50, DOG)])
    assert "dog" not in found(index, "How is my dog called?", lambda id: id != "dogs")


def test_titles_tools_and_instructions_are_not_quoted(index):
    rows = [Said("x", role, role, 60, "zanzibar") for role in ("title", "tool", "system")]
    index.put("x", [*rows, Said("x", "answer", "assistant", 60, "zanzibar")])
    assert found(index, "zanzibar") == ["answer"]


def test_the_same_words_in_two_versions_are_found_once_the_newest(index):
    index.put("a", [Said("a", "old", "user", 70, DOG), Said("a", "new", "user", 80, f"{DOG} ")])
    assert found(index, "dog Bello") == ["new"]


def test_a_long_message_gives_a_short_passage(index):
    text = f"{'Nothing of interest. ' * 400}{DOG}{' More of nothing.' * 400}"
    index.put("long", [Said("long", "long", "assistant", 90, text)])
    [first] = recalled(index, "Who is afraid of thunder?", lambda _: True, 1)
    assert "afraid of thunder" in first.text and len(first.text) <= LONGEST_PASSAGE
    assert text[first.start : first.end] == first.text


def test_what_shares_only_a_usual_word_is_not_brought_up(index):
    index.put("dogs", [Said("dogs", "dog", "user", 50, DOG)])
    assert found(index, "Which day did the lighthouse keeper polish copper lenses?") == []


def test_chinese_is_found_by_its_words(index):
    index.put("zh", [Said("zh", "zh", "user", 50, "我的狗叫小白，它怕打雷。")])
    assert found(index, "我的狗叫什么名字？") == ["zh"]


def test_newer_ones_come_first_among_equals_and_no_more_than_asked_for(index):
    rows = [Said("r", f"r{n}", "user", 100 + n, f"zanzibar trip number {n}") for n in range(9)]
    index.put("r", rows)
    assert found(index, "zanzibar trip", most=2) == ["r8", "r7"]


def test_nothing_is_found_for_nothing(index):
    assert found(index, "…") == [] == found(index, "")
