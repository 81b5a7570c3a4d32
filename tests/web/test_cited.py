"""What an answer's metadata says of its sources."""

import time

import pytest

from tests.web.cited_answers import PASSAGE, SECOND, TEXT, answer, grounding, passage, usage
from webapp.chat.messages import new_message
from webapp.web.cited import Cited, cited, is_awaited


def test_passages_marks_quotes_and_the_search_are_read():
    known = cited(answer())
    assert known.grounded and known.threshold == 0.65
    [source] = known.sources
    assert (source.number, source.file, source.place, source.text) == (
        1,
        "contract.pdf",
        "page 4",
        PASSAGE,
    )
    [support] = known.supports
    assert (support.at, support.source, support.span) == (33, 0, (18, 51))
    assert known.unsupported == (tuple(SECOND),)
    assert [quote.source for quote in known.quotes] == [None]
    [call] = known.calls
    assert (call.query, call.by, call.removed) == ("notice period", "automatic", 1)
    assert [hit.percent for hit in call.hits] == [81, 12]


SAID = passage(file_id="", thread="dogs", id="said")
LOOKED = {"tool": "recall", "arguments": {"query": "dog"}, "by": "decision", "hits": []}


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (usage(), "Searched your files: 1 passage"),
        (usage(trace=[]), "From your files: 1 passage"),
        (usage(passages=[]), "Searched your files: nothing found"),
        (
            usage(passages=[], trace=[{"tool": "", "by": "decision"}]),
            "Your files were not searched",
        ),
        (usage(passages=[SAID], trace=[LOOKED]), "From your earlier threads: 1 passage"),
        (usage(passages=[passage(), SAID]), "From your earlier threads and files: 2 passages"),
        (usage(passages=[], trace=[LOOKED]), "Looked into your earlier threads: nothing found"),
    ],
)
def test_the_summary_says_what_was_found(facts, words):
    assert cited(answer(usage=facts, grounding=None)).summary == words


def test_a_grounding_of_other_words_is_not_shown():
    known = cited(answer(grounding=grounding("Other words.")))
    assert not known.grounded and known.supports == ()
    assert len(known.sources) == 1


def test_what_was_sent_and_not_pointed_to_comes_after():
    sent = usage(passages=[passage(), passage(id="f2-0", file_id="f2", n=2)])
    assert [each.id for each in cited(answer(usage=sent)).sources] == ["f1-3", "f2-0"]


HOSTILE = [None, 5, "x", [], {}, [None], [5], [[]], {"passages": 5}, [{"passage": "0"}]]


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("key", ["passages", "marks", "unsupported", "quotes", "threshold"])
def test_whatever_stands_in_a_file_harms_nothing(key, value):
    assert isinstance(cited(answer(grounding=grounding(**{key: value}))), Cited)
    assert isinstance(cited(answer(usage={"passages": value, "trace": value})), Cited)
    assert isinstance(cited(answer(usage=value, grounding=value)), Cited)


def test_a_mark_that_points_to_no_passage_is_left_out():
    marks = [{"at": 3, "sentence": [0, 3], "passage": 7, "score": 1}]
    assert cited(answer(grounding=grounding(marks=marks))).supports == ()


def test_a_question_has_no_sources():
    question = new_message(
        id="q", thread_id="t", role="user", text=TEXT, created_at=1, metadata={"usage": usage()}
    )
    assert cited(question) == Cited()


def test_a_comparison_is_awaited_for_three_minutes_only():
    now = int(time.time() * 1000)
    fresh = answer(grounding=None).with_fields(completed_at=now)
    assert is_awaited(fresh)
    assert not is_awaited(fresh.with_fields(completed_at=now - 240_000))
    assert not is_awaited(answer().with_fields(completed_at=now))
    assert not is_awaited(answer(usage={}, grounding=None).with_fields(completed_at=now))


def test_of_pages_of_the_web_the_summary_tells_that_they_are():
    page = passage(id="w", file_id="", address="https://x.y", file="Rye")
    assert cited(answer(usage=usage(passages=[page]), grounding=None)).summary == (
        "From 1 web page"
    )
    sent = usage(passages=[page, passage(), {**page, "id": "v"}])
    assert cited(answer(usage=sent, grounding=None)).summary == ("From 1 passage and 2 web pages")


def test_a_source_stands_where_the_parts_of_it_do_that_something_rests_on():
    mark = {"at": 33, "sentence": [0, 33], "passage": 0, "score": 0.9, "span": [18, 51]}
    places = ["p. 9", "p. 8", "", "p. 9", 5]
    marks = [{**mark, "at": 33 + n, "place": place} for n, place in enumerate(places)]
    known = cited(answer(grounding=grounding(marks=marks)))
    assert known.place_of(known.sources[0]) == "p. 9; p. 8"
    known = cited(answer(grounding=grounding(marks=[mark])))
    assert known.place_of(known.sources[0]) == "page 4"
