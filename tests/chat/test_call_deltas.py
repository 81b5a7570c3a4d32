"""Calls that a server streams in parts come out whole, whatever it leaves out."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.call_deltas import CallsInParts
from webapp.chat.call_values import named

DATA = Path(__file__).parents[1] / "data" / "tools"


def chunk(*parts):
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(parts)}}]}


def part(arguments=None, name=None, index=0, id=None):
    function = {"name": name, "arguments": arguments}
    given = {"index": index, "id": id, "function": {k: v for k, v in function.items() if v}}
    return {key: value for key, value in given.items() if value is not None}


def merged(chunks, names=None):
    parts = CallsInParts()
    for each in chunks:
        parts.add(each["choices"][0]["delta"].get("tool_calls"))
    return [named(call.name, call.arguments, names, call.id) for call in parts.whole]


def calls(*chunks):
    return [(call.id, call.name, call.arguments) for call in merged(chunks)]


def test_two_calls_under_one_index_as_seen_in_the_field():
    lines = (DATA / "same-index.jsonl").read_text("utf-8").splitlines()
    assert calls(*map(json.loads, lines)) == [
        ("call_1", "retrieve", {"query": "rye"}),
        ("call_2", "retrieve", {"query": "wheat"}),
    ]


RYE, OATS = '{"query": "rye"}', '{"query": "oats"}'
TWO = [("a", "retrieve", {"query": "rye"}), ("b", "retrieve", {"query": "oats"})]
MADE = [("call_1", "retrieve", {"query": "rye"}), ("call_2", "retrieve", {"query": "oats"})]


@given(st.lists(st.integers(1, 15), max_size=4))
def test_arguments_may_be_cut_anywhere(cuts):
    edges = [0, *sorted(cuts), len(RYE)]
    pieces = [RYE[a:b] for a, b in pairwise(edges)]
    begun = chunk(part(name="retrieve", id="a"))
    assert calls(begun, *(chunk(part(piece)) for piece in pieces)) == TWO[:1]


def test_calls_that_arrive_in_turns_are_told_apart_by_index():
    assert (
        calls(
            chunk(part(name="retrieve", id="a", index=0)),
            chunk(part(name="retrieve", id="b", index=1)),
            chunk(part(RYE[:5], index=0), part(OATS[:5], index=1)),
            chunk(part(OATS[5:], index=1)),
            chunk(part(RYE[5:], index=0)),
        )
        == TWO
    )


@pytest.mark.parametrize("index", [0, None])
def test_an_id_that_is_repeated_with_every_part_is_one_call(index):
    pieces = [chunk(part(p, name="retrieve", id="a", index=index)) for p in (RYE[:6], RYE[6:])]
    assert calls(*pieces) == TWO[:1]


@pytest.mark.parametrize("index", [0, None])
def test_whole_calls_without_ids_are_told_apart_by_their_names(index):
    each = [chunk(part(text, name="retrieve", index=index)) for text in (RYE, OATS)]
    assert calls(*each) == MADE


@pytest.mark.parametrize(
    "parts",
    [
        [part(name="ret", id="a"), part(name="rieve"), part(RYE)],
        [part(name="ret", id="a"), part(name="retrieve"), part(RYE)],
        [part(RYE[:6], name="retrieve", id="a"), part(RYE[6:], id="b")],
        [part(RYE[:6], name="retrieve", id="a"), part(RYE[6:], name="", id="")],
        [part(name="retrieve", id="a"), part(RYE, index=1)],
        [part(RYE, name="retrieve", id="a"), part(name="retrieve")],
    ],
    ids=["a name in pieces", "a name that grows", "an id for each part", "empty ones", "another "
         "index", "the name once more at the end"],
)  # fmt: skip
def test_one_call_stays_one(parts):
    assert calls(*map(chunk, parts)) == TWO[:1]


@pytest.mark.parametrize("index", [0, None])
@pytest.mark.parametrize("ids", [("a", "b"), (None, None)])
def test_names_that_come_before_their_arguments_begin_a_call_each(index, ids):
    one, other = (part(name="retrieve", id=id, index=index) for id in ids)
    parts = (one, part(RYE, index=index), other, part(OATS, index=index))
    assert calls(*map(chunk, parts)) == (TWO if ids[0] else MADE)


def test_calls_in_turns_under_one_index_are_told_apart_by_their_ids():
    begun = [part(text[:5], name="retrieve", id=id) for id, text in (("a", RYE), ("b", OATS))]
    rest = [part(text[5:], id=id) for id, text in (("a", RYE), ("b", OATS))]
    assert calls(*map(chunk, begun + rest)) == TWO


def test_another_name_with_arguments_begins_a_call_although_the_first_had_none():
    parts = (part(name="list_attachments"), part(RYE, name="retrieve"))
    assert [name for _, name, _ in calls(*map(chunk, parts))] == ["list_attachments", "retrieve"]


def test_calls_without_an_index_in_one_chunk_go_by_their_order():
    begun = chunk(
        part(RYE[:4], name="retrieve", index=None), part(OATS[:4], name="retrieve", index=None)
    )
    rest = chunk(part(RYE[4:], index=None), part(OATS[4:], index=None))
    assert calls(begun, rest) == MADE


def test_two_calls_with_one_id_get_different_ones():
    each = [
        chunk(part(text, name="retrieve", id="a", index=n)) for n, text in ((0, RYE), (1, OATS))
    ]
    assert calls(*each) == [TWO[0], ("call_2", *TWO[1][1:])]


def test_arguments_that_are_objects_are_read():
    call = {"id": "a", "function": {"name": "retrieve", "arguments": {"query": "rye"}}}
    assert calls(chunk(call)) == TWO[:1]


def test_calls_that_cannot_be_run_have_a_problem():
    chunks = [chunk(part("[1]", name="retrieve")), chunk(part(RYE, name="search", index=1))]
    problems = [call.problem for call in merged(chunks, ("retrieve",))]
    assert "not a JSON object" in problems[0]
    assert "no tool “search”" in problems[1]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from(["", "a", "{}", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["index", "id", "function", "name", "arguments"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(st.lists(st.lists(json_values, max_size=3), max_size=4))
def test_no_delta_is_too_odd(deltas):
    calls = merged([{"choices": [{"delta": {"tool_calls": d}}]} for d in deltas])
    ids = [call.id for call in calls]
    assert len(set(ids)) == len(ids)


def test_endless_calls_are_not_kept():
    parts = CallsInParts()
    for number in range(1_000):
        parts.add([part(RYE, name="retrieve", index=number)])
    assert len(parts.whole) == 128
