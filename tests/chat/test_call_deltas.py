"""Tool calls that a server streams in parts are put together, whatever it leaves out."""

import json
from pathlib import Path

from webapp.chat.call_deltas import CallsInParts, merged_deltas

DATA = Path(__file__).parents[1] / "data" / "tools"


def chunk(*parts, **choice):
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(parts)}, **choice}]}


def part(index=None, id=None, name=None, arguments=None):
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": id, "function": {k: v for k, v in function.items() if v}}


def read(*chunks):
    return [(call.id, call.name, dict(call.arguments)) for call in merged_deltas(chunks)]


def test_two_calls_under_one_index_in_the_field_stay_two():
    chunks = [json.loads(line) for line in (DATA / "same-index.jsonl").read_text().splitlines()]
    calls = merged_deltas(chunks)
    assert len(calls) == 2 and not any(call.problem for call in calls)
    assert len({call.id for call in calls}) == 2


def test_arguments_come_in_pieces():
    pieces = [part(0, "a", "retrieve", '{"que'), part(0, None, None, 'ry": "rye"}')]
    assert read(*map(chunk, pieces)) == [("a", "retrieve", {"query": "rye"})]


def test_without_index_the_id_tells_calls_apart():
    first, other = part(None, "a", "one", "{}"), part(None, "b", "two", "{}")
    assert read(chunk(first), chunk(other)) == [("a", "one", {}), ("b", "two", {})]


def test_calls_without_ids_get_their_own():
    ids = [id for id, _, _ in read(chunk(part(0, None, "one", "{}"), part(1, None, "two", "{}")))]
    assert len(set(ids)) == 2 and all(ids)


def test_a_whole_message_is_read_like_a_delta():
    message = {"tool_calls": [part(0, "a", "one", "{}")]}
    assert read({"choices": [{"index": 0, "message": message}]}) == [("a", "one", {})]


def test_arguments_that_are_no_json_are_a_call_with_a_problem():
    (call,) = merged_deltas([chunk(part(0, "a", "one", '{"que'))])
    assert call.problem


def test_what_is_no_call_is_passed_over():
    odd = [
        {},
        {"choices": None},
        {"choices": [7]},
        chunk(7, None),
        chunk(part(0, "a", "x", "{}"), index=1),
    ]
    assert read(*odd) == []


def test_calls_are_bounded():
    calls = CallsInParts()
    calls.add([part(n, f"id{n}", "one", "{}") for n in range(1000)])
    assert len(calls.whole) == 128
