"""An assistant as a value, and the snapshot of it in a thread."""

import pytest

from webapp.chat.assistant import (
    BUILT_IN,
    LONGEST_INSTRUCTIONS,
    Assistant,
    checked,
    of_thread,
    with_assistant,
)
from webapp.chat.messages import new_thread
from webapp.errors import BadInput

COOK = Assistant({"id": "cook", "name": "Cook", "avatar": "🍳", "instructions": "Cook."})


def thread(**fields):
    return new_thread(id="t", title="T", created=1).with_fields(**fields)


def typed(**fields):
    return checked(**{"name": "A", "icon": "", "instructions": "", "typed": {}, **fields})


def test_the_built_in_one_has_the_usual_parameters():
    assert BUILT_IN.parameters == {
        "temperature": 0.7,
        "top_k": 20,
        "top_p": 0.8,
        "repeat_penalty": 1.12,
    }
    assert "{{current_date}}" in BUILT_IN.instructions


@pytest.mark.parametrize(
    ("fields", "icon"),
    [
        ({"avatar": "🍳", "name": "x"}, "🍳"),
        ({"avatar": "", "name": "cook"}, "C"),
        ({"avatar": "/images/emoji/cook.png", "name": "cook"}, "C"),
        ({"avatar": 3}, ""),
        ({"avatar": "x" * 99, "name": " b"}, "B"),
    ],
)
def test_an_icon_is_short_or_the_first_letter(fields, icon):
    assert Assistant(fields).icon == icon


def test_fields_of_any_type_are_read_as_something_harmless():
    odd = Assistant({"id": 3, "name": [], "instructions": {}, "parameters": "x"})
    assert (odd.id, odd.name, odd.instructions, odd.parameters) == ("", "", "", {})
    assert Assistant({"assistant_id": "a", "assistant_name": "Old"}).name == "Old"


def test_a_form_is_checked_and_cleaned():
    found = typed(name="  My\0  cook ", instructions="a\r\nb", typed={"temperature": "1"})
    assert found["name"] == "My cook"
    assert found["instructions"] == "a\nb"
    assert found["parameters"] == {"temperature": 1}


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"name": "x" * 81},
        {"icon": "x" * 17},
        {"instructions": "x" * (LONGEST_INSTRUCTIONS + 1)},
        {"typed": {"top_k": "many"}},
    ],
)
def test_what_cannot_be_is_refused_in_words(wrong):
    with pytest.raises(BadInput) as refused:
        typed(**wrong)
    assert refused.value.do


def test_unknown_fields_and_parameters_survive_an_edit():
    before = Assistant({"id": "a", "x": [1], "parameters": {"stream": True, "top_k": 9}})
    after = before.with_fields(typed(typed={"top_p": "0.5"}))
    assert after.data["x"] == [1]
    assert after.parameters == {"stream": True, "top_p": 0.5}


def test_what_changed_is_named_and_what_makes_no_difference_is_not():
    assert COOK.differs_in(Assistant({**COOK.data, "x": 1, "parameters": {"top_k": 20}})) == []
    other = Assistant({**COOK.data, "instructions": "Bake.", "parameters": {"top_k": 5}})
    assert other.differs_in(COOK) == ["Instructions", "Top k"]
    assert other.revision != COOK.revision


def test_a_thread_keeps_a_snapshot_and_its_model():
    taken = with_assistant(thread(assistants=[{"model": {"id": "m"}}]), COOK)
    assert of_thread(taken) == Assistant({**COOK.data, "model": {"id": "m"}})
    none = with_assistant(taken, None)
    assert none.data["assistants"] == [{"model": {"id": "m"}}]
    assert of_thread(none) is None
    assert with_assistant(thread(), None).data["assistants"] == []


@pytest.mark.parametrize("odd", [None, [], "x", [3], [None], [{}], {"a": 1}])
def test_a_thread_with_something_else_there_has_no_assistant(odd):
    assert of_thread(thread(assistants=odd)) is None
