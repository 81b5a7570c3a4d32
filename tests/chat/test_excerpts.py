"""Stretches of sources: each once, neighbours as one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.excerpts import Excerpt, from_to, merged

TEXT = "The first sentence stands here. The second one follows. The third ends it all."


def excerpt(order, start, end, **more):
    known = {"id": f"f-{order}", "file_id": "f", "file": "f.txt", "place": f"p. {order + 1}"}
    known |= {"order": order, "last_order": order, "start": start, "end": end}
    return Excerpt(**known | {"text": TEXT[start:end], "score": 0.5} | more)


def loose(text, **more):
    return Excerpt(file_id="f", text=text, **more)


def test_neighbours_are_one_with_the_best_score():
    [one] = merged([excerpt(1, 20, 50, score=0.9, by="words"), excerpt(0, 0, 31)])
    assert (one.text, one.start, one.end) == (TEXT[:50], 0, 50)
    assert (one.order, one.last_order, one.score, one.by) == (0, 1, 0.9, "words")
    assert one.place == "p. 1 – p. 2"


def test_where_the_place_in_the_file_is_not_known_what_they_share_is_found():
    parts = [loose("It begins here and goes on", order=0, last_order=0)]
    parts.append(loose("here and goes on for long.", order=1, last_order=1))
    parts.append(loose("Something else.", order=2, last_order=2))
    [one] = merged(parts)
    assert one.text == "It begins here and goes on for long.\nSomething else."
    assert not one.is_placed


def test_without_an_order_only_what_overlaps_is_one():
    ends = [(0, 31), (20, 50), (50, 60)]
    found = merged([excerpt(-1, *each, id=str(each), last_order=-1) for each in ends])
    assert [(each.start, each.end) for each in found] == [(0, 50), (50, 60)]


@pytest.mark.parametrize(
    "again",
    [
        {"id": "other"},
        {"start": 0, "end": 0},
        {"id": "other", "place": "elsewhere", "score": None},
    ],
)
def test_the_same_stretch_is_there_once(again):
    first = excerpt(3, 10, 20)
    assert merged([first, excerpt(3, **{"start": 10, "end": 20} | again)]) == (first,)


def test_pages_of_the_web_are_never_one():
    pages = [Excerpt(address=f"https://x.y/{n}", text="The same words.") for n in "aab"]
    assert [each.address[-1] for each in merged(pages)] == ["a", "b"]


def test_places_are_told_from_the_first_to_the_last():
    assert from_to([Excerpt(place=p) for p in ("p. 1", "", "p. 2", "p. 9")]) == "p. 1 – p. 9"
    assert from_to([Excerpt(), Excerpt(place="p. 1"), Excerpt(place="p. 1")]) == "p. 1"


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
NAMES = [each for each in Excerpt.__dataclass_fields__ if each != "text"]


@given(st.dictionaries(st.sampled_from(NAMES), VALUES | st.lists(VALUES, max_size=2)))
def test_whatever_was_kept_can_be_read_and_kept_again(data):
    read = Excerpt.from_data({**data, "text": "Words."})
    assert Excerpt.from_data(json.loads(json.dumps(read.to_data()))) == read
    assert read.last_order >= read.order


SPANS = st.tuples(st.integers(0, 70), st.integers(1, 20), st.integers(-1, 4))


@given(st.lists(SPANS, max_size=8))
def test_merging_loses_no_word_and_moves_none(spans):
    given_in = [excerpt(n, a, min(a + b, len(TEXT)), id=f"{n}-{a}-{b}") for a, b, n in spans]
    found = merged(given_in)
    assert all(len(each.text) == each.end - each.start for each in found)
    for each in given_in:
        at = [each.start - one.start for one in found if one.start <= each.start < one.end]
        assert any(one.text.startswith(each.text, n) for one in found for n in at if n >= 0)
