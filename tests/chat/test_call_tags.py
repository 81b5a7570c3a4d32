"""A tag leads to calls with their end, or is a word of the text."""

import pytest

from webapp.chat.call_cursor import Cursor
from webapp.chat.call_tags import calls_at

NAMES = ("retrieve",)
RYE = '{"name": "retrieve", "arguments": {"query": "rye"}}'


def found(opening, rest):
    """Names with problems, what stands behind the call, and whether its closing tag is to come."""
    cursor = Cursor()
    cursor.chars += opening + rest
    cursor.over = True
    looking = calls_at(cursor, 0, opening.lower(), NAMES)
    try:
        next(looking)
    except StopIteration as stop:
        if stop.value is None:
            return None
        calls, end, missing = stop.value
        return [(c.name, bool(c.problem)) for c in calls], (opening + rest)[end:], missing
    raise AssertionError("it still waits although no more comes")


@pytest.mark.parametrize(
    ("opening", "rest", "behind", "missing"),
    [
        ("<tool_call>", f"{RYE}</tool_call> x", " x", False),
        ("<tool_call>", f"{RYE}\n\nx", "\n\nx", True),
        ("<tool_call>", f"{RYE}<tool_call>", "<tool_call>", True),
        ("<|python_tag|>", f"{RYE}<|eot_id|>x", "x", False),
        ("[TOOL_CALLS]", f" [{RYE}] x", " x", True),
        ("[TOOL_CALLS]", 'retrieve{"query": "rye"}', "", True),
        ("<function=", 'retrieve>{"query": "rye"}</function>x', "x", False),
        ("<function=", "retrieve><parameter=query>rye</parameter></function>x", "x", False),
    ],
)
def test_a_call_ends_with_its_tag_or_behind_its_json(opening, rest, behind, missing):
    assert found(opening, rest) == ([("retrieve", False)], behind, missing)


@pytest.mark.parametrize(
    ("rest", "behind"),
    [
        ("{bad}</tool_call>x", "x"),
        ("{bad}<tool_call>x", "<tool_call>x"),
        ('{"name": "retrieve"\n\nWords.', "\nWords."),
        ("bad</tool_call>x", "x"),
        ("{bad", ""),
    ],
)
def test_ruins_go_to_the_closing_tag_the_next_one_or_the_end_of_the_paragraph(rest, behind):
    calls, rest, _ = found("<tool_call>", rest)
    assert [problem for _, problem in calls] == [True]
    assert rest == behind


@pytest.mark.parametrize(
    "rest", [" is a tag.", " is a tag\n\n</tool_call>", "", f" and <tool_call>{RYE}</tool_call>"]
)
def test_a_tag_without_json_or_an_end_is_a_word(rest):
    assert found("<tool_call>", rest) is None


def test_parameters_in_tags_have_the_types_that_they_look_like():
    cursor = Cursor()
    cursor.chars += (
        "<function=retrieve>\n<parameter=query>\n1 of 2\n</parameter>\n"
        '<parameter=top_k>3</parameter><parameter=x>"3"</parameter></function>'
    )
    cursor.over = True
    with pytest.raises(StopIteration) as stop:
        next(calls_at(cursor, 0, "<function=", NAMES))
    (call,) = stop.value.value[0]
    assert call.arguments == {"query": "1 of 2", "top_k": 3, "x": '"3"'}
