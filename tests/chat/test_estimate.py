"""The spec's estimate, to the token."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat.windows import message
from webapp.chat.estimate import estimate, estimated, estimated_message, message_text


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("word", 2), ("漢字" * 7, 4)])
def test_three_and_a_half_code_points_make_a_token(text, tokens):
    assert estimate(text) == tokens


@given(st.integers(0, 3000))
def test_lengths_are_never_rounded_wrongly(length):
    assert estimate("x" * length) == math.ceil(length / 3.5)


def test_an_emoji_outside_the_first_plane_is_one_code_point():
    assert estimate("😀" * 7) == 2


def test_every_message_costs_four_more():
    assert estimated([("system", "Be brief."), ("user", "")]) == 3 + 4 + 4
    assert estimated_message(message("m", text="x" * 70)) == 24


def test_a_tool_part_counts_as_its_whole_json():
    part = {"type": "tool-retrieve", "input": {"query": "ряж"}, "output": ["a"]}
    said = message("m", "assistant", "Look.").with_fields(
        content=[{"type": "text", "text": {"value": "Look."}}, part]
    )
    packed = json.dumps(part, ensure_ascii=False, separators=(",", ":"))
    assert message_text(said) == f"Look.\n{packed}"


def test_an_inlined_file_counts_with_its_header():
    file = {"name": "a.txt", "content": "text"}
    assert message_text(message("m", text="q", inline_file_contents=[file])) == (
        "q\nFile: a.txt\ntext"
    )


def test_images_are_no_text():
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 9000}}
    said = message("m").with_fields(content=[{"type": "text", "text": {"value": "see"}}, picture])
    assert estimated_message(said) == 1 + 4


def test_thinking_costs_nothing_because_it_is_not_sent():
    said = message("m", "assistant", "<think>a long plan</think>Yes.")
    assert estimated_message(said) == 2 + 4
