import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.thinking import Part, split
from webapp.engines.openai_reply import BrokenAnswer, Reply, Thoughts, Usage


def chunk(reason=None, **delta):
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


def fed(*events):
    reply = Reply()
    return "".join(reply.feed(event) for event in events) + reply.end()


def test_pieces_are_joined_and_the_reason_is_kept():
    reply = Reply()
    events = [chunk(role="assistant"), chunk(content="Hel"), chunk(content="lo"), chunk("length")]
    assert "".join(map(reply.feed, events)) == "Hello"
    assert (reply.reason, reply.done, reply.pieces) == ("length", False, 2)
    reply.feed(" [DONE]")
    assert reply.done


def test_an_answer_in_one_piece_is_read_too():
    whole = {"choices": [{"message": {"content": "All."}, "finish_reason": "stop"}]}
    assert fed(json.dumps(whole)) == "All."


@pytest.mark.parametrize(
    "event",
    [
        "{}",
        "[]",
        "3",
        '{"choices": []}',
        '{"choices": null}',
        '{"choices": [null, 4]}',
        '{"choices": [{}]}',
        '{"choices": [{"delta": null}]}',
        '{"choices": [{"delta": {"content": null, "tool_calls": null}}]}',
        '{"choices": [{"delta": {"content": 5}}]}',
        '{"choices": [{"index": 1, "delta": {"content": "another answer"}}]}',
        '{"usage": {"prompt_tokens": "many", "completion_tokens": -1}}',
    ],
)
def test_what_says_nothing_adds_nothing(event):
    assert fed(event) == ""


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ('{"error": {"message": "Out of memory"}}', "Out of memory"),
        ('{"error": "Out of memory"}', "Out of memory"),
        ('{"choices": [{"error": {"message": "Out of memory"}}]}', "Out of memory"),
        ('{"choices": [', "not JSON"),
        ("ping", "not JSON"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_an_error_in_the_stream_ends_it(event, said):
    with pytest.raises(BrokenAnswer, match=said):
        fed(event)


def test_halves_of_a_character_are_joined_and_a_half_alone_is_replaced():
    fox = '{"choices": [{"delta": {"content": "%s"}}]}'
    assert fed(fox % "a\\ud83e", fox % "\\udd8a") == "a🦊"
    assert fed(fox % "a\\ud83e", fox % "b") == "a\ufffdb"
    assert fed(fox % "a\\ud83e") == "a\ufffd"


def test_usage_is_what_the_server_said_last():
    usage = Usage().updated({"prompt_tokens": 9, "completion_tokens": 1}).updated(None)
    more = {"completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 8}}
    assert usage.updated(more) == Usage(9, 8, 2)
    assert usage.updated({"prompt_tokens": True, "prompt_tokens_details": 3}) == usage


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thinking_that_comes_apart_is_thinking_on_the_page(field):
    text = fed(
        chunk(**{field: "\nI see", "content": ""}),
        chunk(**{field: " it."}),
        chunk(content="\n\n"),
        chunk(content="Yes."),
    )
    assert split(text, finished=True) == (Part("thinking", "I see it."), Part("text", "Yes."))


def test_thinking_in_parts_is_understood():
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    text = fed(chunk(content=[thinking]), chunk(content=[{"type": "text", "text": "Yes."}]))
    assert split(text, finished=True) == (Part("thinking", "Hm."), Part("text", "Yes."))


def test_thinking_between_two_texts_is_shown_as_such():
    text = fed(chunk(content="First."), chunk(reasoning="Hm."), chunk(content="Then."))
    kinds = [(part.kind, part.text.strip()) for part in split(text, finished=True)]
    assert kinds == [("text", "First."), ("thinking", "Hm."), ("text", "Then.")]


def test_thinking_that_nothing_follows_stays_readable():
    assert split(fed(chunk(reasoning="Only this")), finished=True) == (Part("text", "Only this"),)


WORDS = st.lists(
    st.sampled_from(["</think>", "</", "think", ">", "[/THINK]", "a ", "<", "</Thinking>", "\n"]),
    min_size=1,
    max_size=12,
)


@given(WORDS)
def test_a_closing_tag_inside_thinking_never_ends_it(pieces):
    thoughts = Thoughts()
    text = "".join(map(thoughts.think, pieces)) + thoughts.say("Answer.") + thoughts.end()
    parts = split(text, finished=True)
    assert parts[-1] == Part("text", "Answer.")
    assert "".join(parts[0].text.split("\u2060")).split() == "".join(pieces).split() or (
        not "".join(pieces).strip()
    )
