from webapp.search.fused import fused
from webapp.search.index import Said
from webapp.search.parts import Part


def said(id, text=""):
    return Said("t", id, "user", 1, text or f"The text of {id}")


def ids(found):
    return [each.said.message_id for each in found]


def test_what_both_found_comes_first_and_keeps_the_passage_of_its_words():
    words = [Part(said("a"), 0, 3, 0.5), Part(said("b"), 4, 8, 0.4)]
    near = [Part(said("c"), 0, 5, 0.9), Part(said("b"), 0, 9, 0.6)]
    found = fused("q", words, near, 4)
    assert ids(found)[0] == "b" and set(ids(found)) == {"a", "b", "c"}
    assert (found[0].start, found[0].end, found[0].score) == (4, 8, 0.6)


def test_the_same_text_in_two_threads_is_one():
    words, near = (
        [Part(said("a", "One  two"), 0, 3, 0.5)],
        [Part(said("b", "one two"), 0, 3, 1)],
    )
    assert ids(fused("q", words, near, 4)) == ["a"]


def test_either_alone_and_no_more_than_asked_for():
    words = [Part(said(f"w{n}"), 0, 3, 0.5) for n in range(5)]
    assert ids(fused("q", words, [], 2)) == ["w0", "w1"]
    assert ids(fused("q", [], [Part(said("n"), 0, 3, 0.5)], 2)) == ["n"]
    assert fused("q", [], [], 2) == []


def test_the_question_itself_is_left_out_and_other_questions_come_later():
    told, asked = said("told", "Her name is Anna."), said("asked", "What is her  name?")
    other = said("other", "What was the name of the sister?")
    words = [Part(each, 0, 3, 0.9) for each in (asked, other, told)]
    assert ids(fused("what is her name?", words, [], 4)) == ["told", "other"]
    assert ids(fused("her name", words, [], 4)) == ["told", "asked", "other"]
