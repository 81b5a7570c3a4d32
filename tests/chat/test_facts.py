"""What planning knows of a message."""

import pytest

from tests.chat.windows import call, message, patched, result, talk
from webapp.chat.facts import KnownFacts, facts_of


@pytest.mark.parametrize(
    "said",
    [
        message("m", "user", ""),
        message("m", "user", " \n"),
        message("m", "assistant", "half", status="error"),
        message("m", "assistant", "so far", status="pending"),
        message("m", "narrator", "once"),
        message("m", muted=True),
        message("m", muted=True, pinned=True),
        message("m").with_fields(content=None),
    ],
)
def test_what_is_never_sent_is_not_live(said):
    facts = facts_of(said)
    assert not facts.live
    assert not facts.pinned


@pytest.mark.parametrize(
    "said",
    [
        message("m"),
        message("m", "assistant", "half", status="stopped"),
        message("m").with_fields(content="plain text"),
        message("m", text="", inline_file_contents=[{"name": "a", "content": "x"}]),
        call("m", "c"),
        result("m", "c", ""),
    ],
)
def test_what_has_something_to_say_is_live(said):
    assert facts_of(said).live


def test_pins_and_mutes_are_true_and_nothing_else():
    assert facts_of(message("m", pinned=True)).pinned
    assert not facts_of(message("m", pinned="true")).pinned
    assert facts_of(message("m", muted=1)).live


@pytest.mark.parametrize(
    "metadata", [{"pinned": True}, {"muted": True}, {"summary": {}}, {"summary_failed": {}}]
)
def test_pins_mutes_and_records_are_looked_at_wherever_they_stand(metadata):
    assert facts_of(message("m", **metadata)).special


def test_an_answer_tells_where_its_window_began():
    assert facts_of(message("m", "assistant", usage={"window_start": "q"})).window_start == "q"
    assert facts_of(message("m", "assistant", usage={"window_start": 3})).window_start == ""
    assert facts_of(message("m", "assistant", usage=None)).window_start == ""


def test_facts_are_found_out_once_and_again_for_a_changed_message():
    known, path = KnownFacts(), talk(10, 10, 10)
    first = known.of(path)
    changed = patched(path, "m1", pinned=True)
    again = known.of(changed)
    assert [a is b for a, b in zip(first, again, strict=True)] == [True, False, True]
    assert again[1].pinned
    assert known.of(path) == first


def test_what_is_remembered_is_bounded():
    known = KnownFacts(most=10)
    for at in range(20):
        assert [each.id for each in known.of([message(f"m{at}"), message("n")])] == [f"m{at}", "n"]
    assert len(known._known) <= 12
