"""The turn machine read like a script: an event in, commands out. No engine, no clock."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.engines.engine import Finished, Reading, Text
from webapp.generation.turn import (
    CHECKPOINT_MS,
    CancelEngine,
    Checkpoint,
    Failed,
    Grow,
    Halt,
    Queued,
    Save,
    Show,
    Tick,
    Turn,
)


def finished(reason="stop"):
    return Finished(reason, 10, 4, 3, 0.12345, 0.5)


def test_an_answer_goes_from_the_queue_through_reading_and_writing_to_ready():
    turn = Turn(0)
    assert turn.receive(Queued(2), 0) == [Show("queued", "In line: 1 before this one.")]
    assert turn.receive(Queued(1), 0) == [Show("queued", "Next in line.")]
    assert turn.receive(Reading(64, 3000, 0), 5) == [Show("reading", "Reading 64 of 3,000 tokens.")]
    assert turn.receive(Text("Hel", 1), 10) == [Grow("Hel")]
    assert turn.receive(Text("lo", 2), 20) == [Grow("lo")]
    [save] = turn.receive(finished(), 30)
    assert (save.phase, save.text, save.error) == ("ready", "Hello", "")
    assert save.usage["reused_tokens"] == 4
    assert save.usage["first_token_seconds"] == 0.123


def test_text_is_checkpointed_once_a_second_and_only_what_is_new():
    turn = Turn(0)
    turn.receive(Text("one ", 1), 10)
    assert turn.receive(Text("two ", 2), CHECKPOINT_MS) == [Grow("two "), Checkpoint("one two ")]
    assert turn.receive(Text("three", 3), CHECKPOINT_MS + 1) == [Grow("three")]
    assert turn.receive(Tick(), 2 * CHECKPOINT_MS) == [Checkpoint("three")]
    assert turn.receive(Tick(), 9 * CHECKPOINT_MS) == []


def test_thinking_is_a_phase_of_its_own_until_it_is_closed():
    turn = Turn(0)
    pieces = ["<th", "ink>", "Moon", "?</thi", "nk>", "Tides", " come."]
    grown = [turn.receive(Text(piece, 1), 1)[0] for piece in pieces]
    assert "".join(each.piece for each in grown) == "".join(pieces)
    phases = [each.phase for each in grown]
    assert phases == ["writing", *["thinking"] * 3, *["writing"] * 3]


def test_a_tag_that_is_only_mentioned_is_no_thinking():
    turn = Turn(0)
    for piece in ("The tag ", "<think>", " opens", " it"):
        assert turn.receive(Text(piece, 1), 1)[0].phase == "writing"


def test_stopping_cancels_the_engine_and_keeps_the_words_so_far():
    turn = Turn(0)
    turn.receive(Text("half", 1), 1)
    assert turn.receive(Halt(), 2) == [CancelEngine()]
    [save] = turn.receive(finished("cancelled"), 3)
    assert (save.phase, save.text, save.error) == ("stopped", "half", "")


def test_a_stop_that_came_before_the_engine_knew_of_the_request_is_repeated():
    turn = Turn(0)
    turn.receive(Halt(), 1)
    assert turn.receive(Reading(1, 9, 0), 2) == [CancelEngine()]
    assert turn.receive(Text("late", 1), 3) == [CancelEngine()]
    assert turn.text == ""


def test_a_failure_keeps_the_words_and_says_why():
    turn = Turn(0)
    turn.receive(Text("so far", 1), 1)
    [save] = turn.receive(Failed("The model's process ended."), 2)
    assert (save.phase, save.text, save.error) == (
        "error",
        "so far",
        "The model's process ended.",
    )


def test_a_failure_after_a_stop_is_a_stop():
    turn = Turn(0)
    turn.receive(Halt(), 1)
    [save] = turn.receive(Failed("gone"), 2)
    assert (save.phase, save.error) == ("stopped", "")


def test_an_answer_without_a_visible_character_is_an_error_with_a_way_out():
    [save] = Turn(0).receive(finished(), 1)
    assert save.phase == "error"
    assert "Try again" in save.error


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<think></think>", "The model gave an empty answer. Try again."),
        ("<think>\n\n</think>\n\n", "The model gave an empty answer. Try again."),
        ("<think>", "The model gave an empty answer. Try again."),
        ("<think>hm</think>\n", "The model only thought and gave no answer. Try again."),
        ("<think>hm", ""),
        ("hm</think>Yes.", ""),
    ],
)
def test_tags_are_no_answer_and_thinking_alone_is_none(text, sentence):
    turn = Turn(0)
    turn.receive(Text(text, 1), 1)
    (saved,) = turn.receive(finished(), 2)
    assert (saved.phase, saved.error) == ("error" if sentence else "ready", sentence)
    assert saved.text == text


@pytest.mark.parametrize("late", [finished(), Failed("x"), Halt(), Text("x", 1), Tick(), Queued(1)])
def test_nothing_follows_an_ending(late):
    turn = Turn(0)
    turn.receive(finished(), 1)
    assert turn.receive(late, 5000) == []


EVENTS = st.one_of(
    st.builds(Queued, st.integers(1, 5)),
    st.builds(Reading, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)),
    st.builds(Text, st.text(min_size=1), st.integers(1, 99)),
    st.just(Tick()),
    st.just(Halt()),
    st.builds(Failed, st.text()),
    st.builds(finished, st.sampled_from(["stop", "length", "cancelled"])),
)


@given(st.lists(EVENTS), st.lists(st.integers(0, 3000), min_size=1))
def test_whatever_happens_there_is_one_save_and_it_holds_all_that_was_shown(events, steps):
    turn, now, commands = Turn(0), 0, []
    for at, event in enumerate(events):
        now += steps[at % len(steps)]
        commands += turn.receive(event, now)
    saves = [command for command in commands if isinstance(command, Save)]
    shown = "".join(command.piece for command in commands if isinstance(command, Grow))
    written = "".join(command.text for command in commands if isinstance(command, Checkpoint))
    assert len(saves) == (1 if turn.over else 0)
    assert shown.startswith(written)
    assert turn.text == shown
    if saves:
        assert commands[-1] is saves[0]
        assert saves[0].text == shown


def test_every_pair_of_events_in_any_state_leaves_the_text_whole():
    samples = [Queued(1), Reading(1, 2, 0), Text("a", 1), Tick(), Halt(), Failed("f"), finished()]
    for first, second in pairwise([*samples, *samples[::-1]]):
        turn = Turn(0)
        turn.receive(Text("kept ", 1), 0)
        turn.receive(first, 1)
        turn.receive(second, 2)
        assert turn.text.startswith("kept ")
