"""From what was written as a call to a name and arguments, or to what is wrong with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.call_values import calls_in, calls_in_text, loaded, malformed, named

NAMES = ("retrieve", "list_attachments")


def test_names_and_arguments_are_found_under_many_keys():
    for value in (
        {"name": "retrieve", "arguments": {"query": "rye"}},
        {"tool": "retrieve", "input": {"query": "rye"}},
        {"function": {"name": "retrieve", "arguments": '{"query": "rye"}'}},
        {"name": "functions.retrieve", "query": "rye"},
    ):
        (call,) = calls_in(value, NAMES)
        assert (call.name, dict(call.arguments), call.problem) == ("retrieve", {"query": "rye"}, "")


@pytest.mark.parametrize("value", [None, 7, [], [[]], {}, {"arguments": {}}, "words"])
def test_a_value_that_names_nothing_is_one_call_with_a_problem(value):
    (call,) = calls_in(value, NAMES)
    assert call.problem and not call.arguments


def test_an_unknown_name_is_told_what_there_is():
    call = named("dance", {}, NAMES)
    assert "“dance”" in call.problem and "list_attachments, retrieve" in call.problem
    assert named("dance", {}, None).problem == ""


@pytest.mark.parametrize("arguments", [["rye"], "rye", 7, '"rye"'])
def test_arguments_that_are_no_object_are_a_problem(arguments):
    assert "no JSON object" in named("retrieve", arguments, NAMES).problem


def test_text_is_a_call_only_when_all_of_it_is():
    good = {"name": "retrieve", "arguments": {}}
    assert len(calls_in_text([good, good], NAMES)) == 2
    assert calls_in_text([good, {"name": "dance"}], NAMES) == []


def test_what_is_nested_too_deeply_or_no_number_is_no_json():
    for text in ("[" * 100_000, "NaN", '{"a": Infinity}'):
        with pytest.raises(ValueError, match=r".+"):
            loaded(text)


def test_the_name_of_a_ruined_call_is_kept():
    assert malformed('{"name": "retrieve", "argu').name == "retrieve"


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
    )
)
def test_every_value_gives_calls_that_run_or_have_a_problem(value):
    calls = calls_in(value, NAMES)
    assert calls and all(call.problem or call.name in NAMES for call in calls)
