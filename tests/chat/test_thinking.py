"""Thinking is told apart from the answer, in finished texts and while they grow."""

import json
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.thinking import CLOSINGS, OPENINGS, Part, split, spoken

CASES = json.loads(
    (Path(__file__).parents[1] / "data" / "thinking" / "think_tags.json").read_text("utf-8")
)


def thought(text: str) -> str:
    return "\n".join(p.text for p in split(text, finished=True) if p.kind == "thinking")


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.get("role") != "user"], ids=lambda c: c["id"]
)
def test_replies_seen_in_the_field_come_out_as_their_readers_expect(case):
    if "text" in case:
        assert spoken(case["raw"]) == case["text"]
    if "reasoning" in case:
        assert thought(case["raw"]) == case["reasoning"]
    if case.get("text_not_empty"):
        assert spoken(case["raw"]).strip()


@pytest.mark.parametrize(
    "text",
    [
        "What does <think> do?",
        "Write `<think>` first and `</think>` last.",
        "```\n<think>\nplan\n</think>\n```\nThat is how it looks.",
        "~~~xml\n</think>\n~~~\n",
        "The <think> tag opens it and </think> closes it.",
        "Use </think> to close it.",
        'The tag "</think>" ends it.',
        "I write <think>like this</think> in the middle.",
        "There are tags.\n<think>, <thinking> and </think>.",
        "1. <think>words</think> is how it looks.",
        "It ends. <think>And no tag closes this.",
        "Models that think, write [x] and ◁ and </b>.",
        "``a ` </think> b`` is code",
        "    <thinker>no tag of ours</thinker>",
        "a < b and <thi",
    ],
)
def test_a_tag_that_is_only_mentioned_stays_text(text):
    assert split(text, finished=True) == (Part("text", text),)


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("<think>\nplan\n</think>\n\nAnswer", "plan", "Answer"),
        ("  \n<think>plan</think>Answer", "plan", "Answer"),
        ("<THINK>plan</THINK>Answer", "plan", "Answer"),
        ("<thinking>plan</thinking>Answer", "plan", "Answer"),
        ("<think>plan</thinking>Answer", "plan", "Answer"),
        ("[THINK]plan[/THINK]Answer", "plan", "Answer"),
        ("◁think▷plan◁/think▷Answer", "plan", "Answer"),
        ("plan\n</think>\n\nAnswer", "plan", "Answer"),
        ("I am done. </think> Answer", "I am done.", "Answer"),
        ("想好了。 </think>答案", "想好了。", "答案"),
        ("<think>\n\n</think>\n\nAnswer", "", "Answer"),
        ("</think>Answer", "", "Answer"),
        ("<think>a</think></think>Answer", "a", "Answer"),
        ("<think>say `</think>` aloud</think>Answer", "say `</think>` aloud", "Answer"),
        (
            "<think>\n```\n</think>\n```\nso\n</think>Answer",
            "```\n</think>\n```\nso",
            "Answer",
        ),
        ("<think>```py\nx = 1\n</think>Answer", "```py\nx = 1", "Answer"),
        ("<think>a</think>One.\n<think>\nb\n</think>\nTwo.", "a\nb", "One.\n\n\nTwo."),
        ("<think>a</think>\n<think>b</think>Answer", "a\nb", "Answer"),
        ("<think>it's `odd</think>Answer with `code`", "it's `odd", "Answer with `code`"),
        ("<think>a</think>One.<think>b</think>Two.", "a\nb", "One.\n\nTwo."),
        ("One.\n\n<think>b</think>\n\nTwo.", "b", "One.\n\n\n\nTwo."),
        ("一。<think>想</think>二。", "想", "一。\n\n二。"),
        ("<think>a<think>b</think>c</think>Answer", "a<think>b</think>c", "Answer"),
        (
            "<think>\na\n<thinking>\nb\n</thinking>\nc\n</think>\nAnswer",
            "a\n<thinking>\nb\n</thinking>\nc",
            "Answer",
        ),
        ("<think><think>a</think>Answer", "<think>a", "Answer"),
        ("<think>Is <think> a tag?</think>Yes.</think>", "Is <think> a tag?", "Yes.</think>"),
        ("<think>a<think>b</think>End with </think> always.", "a<think>b", None),
        ("<think>a<think>b</think>Answer</think>", "a<think>b", "Answer</think>"),
        ("<reflection>plan</reflection>Answer", "plan", "Answer"),
        ("<|begin_of_thought|>plan<|end_of_thought|>Answer", "plan", "Answer"),
        ("<|START_THINKING|>plan<|END_THINKING|>Answer", "plan", "Answer"),
    ],
)
def test_thinking_is_taken_out_of_the_answer(text, reasoning, answer):
    assert thought(text) == reasoning
    assert spoken(text) == (answer or text.removeprefix(f"<think>{reasoning}</think>"))


def test_thinking_that_never_ended_is_open_while_it_streams_and_words_when_it_is_over():
    text = "<think>Hello! How are you?"
    assert split(text, finished=False) == (Part("thinking", "Hello! How are you?", open=True),)
    assert split(text, finished=True) == (Part("text", "Hello! How are you?"),)


def test_open_thinking_without_words_is_already_told():
    assert split("<think>\n", finished=False) == (Part("thinking", "", open=True),)


@pytest.mark.parametrize("tag", OPENINGS + CLOSINGS)
def test_the_beginning_of_a_tag_never_flashes_by(tag):
    for length in range(1, len(tag)):
        shown = "".join(part.text for part in split("Well" + tag[:length], finished=False))
        assert shown == "Well"


def test_a_tag_alone_on_a_line_is_decided_once_its_line_is_over():
    assert split("Text.\n<think>", finished=False) == (Part("text", "Text.\n"),)
    assert split("Text.\n<think>\nhm", finished=False)[-1] == Part("thinking", "hm", open=True)
    assert split("Text.\n<think> opens", finished=False) == (Part("text", "Text.\n<think> opens"),)


def test_thinking_that_begins_again_is_open_while_it_streams():
    assert split("One.<think>", finished=False) == (Part("text", "One."),)
    assert split("One.<think>hm", finished=False)[-1] == Part("thinking", "hm", open=True)


def test_an_empty_text_has_no_parts():
    assert split("", finished=True) == split("", finished=False) == ()


def test_a_growing_reply_shows_thinking_first_and_then_only_adds_to_its_answer():
    reply = "<think>\nFirst, `</think>` is a tag.\n</think>\n\nThe **answer** is `<think>`."
    seen = [split(reply[:end], finished=False) for end in range(len(reply) + 1)]
    kinds = [[part.kind for part in parts] for parts in seen]
    assert all(k in ([], ["thinking"], ["thinking", "text"]) for k in kinds)
    answers = [parts[1].text for parts in seen if len(parts) > 1]
    assert all(later.startswith(earlier) for earlier, later in pairwise(answers))
    assert answers[-1] == "The **answer** is `<think>`."


PIECES = st.sampled_from(
    [*OPENINGS[:2], *CLOSINGS[:2], "`", "```\n", "\n", " ", "word", ".", '"', "[THINK]", "<", "~~~"]
)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_no_word_of_a_finished_reply_is_ever_lost(text):
    parts = split(text, finished=True)
    assert "".join(p.text for p in parts).count("word") == text.count("word")
    assert not any(part.open for part in parts)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_a_growing_reply_never_loses_a_word_either(text):
    for end in range(len(text) + 1):
        parts = split(text[:end], finished=False)
        assert "".join(p.text for p in parts).count("word") == text[:end].count("word")


@pytest.mark.parametrize(
    "unit",
    [
        "a<think>",
        "</think>",
        "<think>",
        "`a",
        "<think></think>x\n",
        "```\n",
        ".<think>a",
        "<think>a<think>b</think>",
        "</think><think>",
    ],
)
def test_a_hostile_reply_of_100_kilobytes_takes_no_noticeable_time(unit):
    text = "<think>" + unit * (100_000 // len(unit))
    begun = time.process_time()
    split(text, finished=True)
    split("words" + text, finished=False)
    assert time.process_time() - begun < 2
