"""Every step from an old folder's assistants to today's."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.assistant_migrations import (
    CURRENT,
    MIGRATIONS,
    V0_BEGINNING,
    V1_INSTRUCTIONS,
    V2_IDENTITY,
    V2_INSTRUCTIONS,
    V3_INSTRUCTIONS,
    is_text_of_v2,
    migrated,
    version_in,
)
from webapp.chat.parameters import usual


def told(text, **more):
    return {"id": "jan", "instructions": text, **more}


def test_version_1_changes_the_old_beginning_and_keeps_what_follows():
    assert (
        migrated(told(f"{V0_BEGINNING} Rhyme."), 0)["instructions"] == f"{V1_INSTRUCTIONS} Rhyme."
    )


def test_version_2_replaces_only_the_very_text_and_sets_parameters():
    made = MIGRATIONS[1](told(V1_INSTRUCTIONS))
    assert made["instructions"] == V2_INSTRUCTIONS
    assert made["parameters"] == usual()
    own = told(f"{V1_INSTRUCTIONS} ")
    assert MIGRATIONS[1](own) is own


def test_version_2_keeps_parameters_that_are_set():
    made = MIGRATIONS[1](told(V1_INSTRUCTIONS, parameters={"temperature": 0.1, "x": [1]}))
    assert made["parameters"] == {**usual(), "temperature": 0.1, "x": [1]}


def test_version_3_takes_the_identity_out_of_the_very_text():
    assert migrated(told(V2_INSTRUCTIONS, odd=1), 2) == told(V3_INSTRUCTIONS, odd=1)


@pytest.mark.parametrize(
    "text",
    [
        f"{V2_INSTRUCTIONS} ",
        f"{V2_INSTRUCTIONS}\n",
        V2_INSTRUCTIONS.replace("\n", "\r\n"),
        V2_INSTRUCTIONS.lower(),
        f"{V2_IDENTITY}\n\nMy own words.",
        V2_IDENTITY,
        "",
        "My own words.",
        "\ud800",
    ],
)
def test_one_other_character_means_that_a_person_wrote_it(text):
    own = told(text)
    assert migrated(own, 2) is own
    assert migrated(own, 1) is own


def test_the_text_that_another_program_wrote_is_known_by_its_sum():
    text = "You are a clock.\n\nTick.\n\nTock."
    known = {hashlib.sha256(text.encode()).hexdigest()}
    assert is_text_of_v2(text, known)
    assert not is_text_of_v2(f"{text} ", known)


def test_an_assistant_nobody_touched_goes_all_the_way():
    made = migrated(told(V0_BEGINNING, avatar="A"), 0)
    assert made == told(V3_INSTRUCTIONS, avatar="A", parameters=usual())


@pytest.mark.parametrize("odd", [None, 3, ["x"], {}])
def test_instructions_that_are_no_text_are_left_alone(odd):
    own = told(odd)
    assert migrated(own, 0) is own
    assert migrated({}, 0) == {}


@given(
    st.sampled_from([V0_BEGINNING, V1_INSTRUCTIONS, V2_INSTRUCTIONS, V3_INSTRUCTIONS, ""]),
    st.text(max_size=3),
    st.integers(-2, 5),
)
def test_twice_is_once(text, more, version):
    once = migrated(told(text + more), version)
    assert migrated(once, version) == once
    assert migrated(once, CURRENT) is once


@pytest.mark.parametrize(
    ("marker", "version"),
    [(b"3", 3), (b"2\n", 2), (b" 1 ", 1), (b"\xef\xbb\xbf3", 3), (b"99", 99)]
    + [(odd, 0) for odd in (b"", b"x", b"-1", b"2.5", b"\xff", b"\0\0", b"9" * 90, b"3x")]
    + [("٣".encode(), 0), (b"None", 0)],
)
def test_a_marker_that_says_no_version_counts_as_none(marker, version):
    assert version_in(marker) == version
