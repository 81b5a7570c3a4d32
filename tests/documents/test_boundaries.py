"""Good ends and beginnings of passages."""

import pytest

from webapp.documents.boundaries import (
    after_last_ink,
    first_ink,
    is_visible,
    passage_end,
    passage_start,
)


@pytest.mark.parametrize(
    ("text", "limit", "ends"),
    [
        ("One is here.\n\nTwo is there. Three", 30, "One is here.\n\nTwo is there."),
        ("A first one. And a second", 20, "A first one."),
        ("He said “go!” and went on", 20, "He said “go!”"),
        ("Now Dr. Smith came in late", 11, "Now Dr. "),
        ("It grew by 3.14 in a year", 16, "It grew by 3.14 "),
        ("今天下雨了。我们在家。明天", 9, "今天下雨了。"),
        ("我们在家(晴天。)明天出门", 11, "我们在家(晴天。)"),
        ("no stop here\nbut a line end", 20, "no stop here\n"),
        ("a part, and another part of", 12, "a part,"),
        ("wordafterword another", 16, "wordafterword "),
        ("nothingtostopatinhere", 10, "nothingtos"),
    ],
)
def test_a_passage_ends_where_a_reader_would_pause(text, limit, ends):
    assert text[: passage_end(text, 0, limit, by_lines=False)] == ends


def test_an_end_is_looked_for_in_the_second_half_only():
    assert passage_end("Yes. " + "x" * 50, 0, 40, by_lines=False) == 40


def test_records_of_a_table_end_with_their_line():
    rows = "Kettle | Boils. Fast | 12\nPot | Holds soup. Good | 7\n"
    assert rows[: passage_end(rows, 0, 44, by_lines=True)] == "Kettle | Boils. Fast | 12\n"


def test_the_next_passage_begins_with_a_sentence_else_a_word_else_a_character():
    text = "First one here. Second one there"
    assert text[passage_start(text, 10, 32, 0, by_lines=False) :] == "Second one there"
    assert text[passage_start(text, 18, 32, 0, by_lines=False) :] == "one there"
    assert text[passage_start(text, 28, 32, 0, by_lines=False) :] == "here"
    assert passage_start("abc", 3, 3, 0, by_lines=False) == 3


def test_of_records_whole_ones_are_repeated_or_none():
    rows = "one | 1\ntwo | 2\nthree | 3"
    assert passage_start(rows, 8, len(rows), 0, by_lines=True) == 8
    assert passage_start(rows, 18, len(rows), 0, by_lines=True) == len(rows)


def test_ink_is_what_is_no_white_space():
    assert first_ink(" \n\t a", 0, 5) == 4
    assert first_ink("    ", 0, 3) == 3
    assert after_last_ink("ab \n ", 0, 5) == 2


@pytest.mark.parametrize("text", ["", " \n\t\u3000", "\u200b\ufeff", "\u2800\u3164", "\x00\x07"])
def test_what_leaves_the_page_white_is_not_visible(text):
    assert not is_visible(text)


@pytest.mark.parametrize("text", ["a", " ·", "字", "😀", "\u200bx", "—"])
def test_one_mark_is_visible(text):
    assert is_visible(text)
