import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.messages import ABSENT, Message, Thread, is_id, new_message, new_thread

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(["content", "metadata", "created_at", "status", "thread_id", "more"])


@pytest.fixture
def question():
    return new_message(id="u1", thread_id="t", role="user", text="Why?", created_at=1000)


def test_an_id_is_what_may_meet_a_path():
    assert is_id("a-Z_9") and is_id("x" * 64)
    for bad in ("", "x" * 65, "../x", "a/b", "a b", "ä", "a\n", ".", None, 7):
        assert not is_id(bad)


def test_a_new_message_has_the_shape_on_disk(question):
    assert question.data == {
        "id": "u1",
        "object": "thread.message",
        "thread_id": "t",
        "role": "user",
        "content": [{"type": "text", "text": {"value": "Why?", "annotations": []}}],
        "status": "ready",
        "created_at": 1000,
        "completed_at": 1000,
        "metadata": {},
    }


def test_a_parent_has_three_states(question):
    assert question.parent_id is ABSENT
    assert question.with_metadata({"parentId": None}).parent_id is None
    assert question.with_metadata({"parentId": "a0"}).parent_id == "a0"
    assert question.with_metadata({"parentId": 5}).parent_id is None
    assert repr(ABSENT) == "ABSENT"


def test_text_is_all_text_parts_and_nothing_else(question):
    parts = [
        {"type": "text", "text": {"value": "one"}},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "text", "text": "two"},
        {"type": "text", "text": {"value": 3}},
        "stray",
    ]
    assert Message({**question.data, "content": parts}).text == "one\n\ntwo"
    assert Message({**question.data, "content": "plain"}).text == "plain"


def test_new_text_keeps_the_other_parts_and_annotations(question):
    image = {"type": "image_url", "image_url": {"url": "x"}}
    noted = {"type": "text", "text": {"value": "old", "annotations": [1]}, "extra": True}
    changed = Message({**question.data, "content": [image, noted]}).with_text("new")
    assert changed.data["content"] == [
        {"type": "text", "text": {"value": "new", "annotations": [1]}, "extra": True},
        image,
    ]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": {"value": "one"}}], "one more"),
        ([{"type": "text", "text": "one"}], "one more"),
        ([{"type": "text", "text": {"value": None}}], " more"),
        ("one", "one more"),
        ([], " more"),
        (None, " more"),
    ],
)
def test_appended_text_follows_what_was_there(question, content, text):
    assert Message({**question.data, "content": content}).with_appended(" more").text == text


def test_a_change_makes_a_new_value_and_keeps_unknown_fields(question):
    old = question.with_fields(followUps=["a"])
    changed = old.with_metadata({"starred": True}).with_fields(status="stopped")
    assert changed.data["followUps"] == ["a"]
    assert old.metadata == {} and old.status == "ready"
    assert changed.without_metadata("starred", "nothing").metadata == {}


@pytest.mark.parametrize("time", [None, "soon", True, float("nan"), float("inf"), 10**400, [1]])
def test_a_time_that_is_none_counts_as_the_beginning(question, time):
    assert question.with_fields(created_at=time).created_at == 0.0
    thread = new_thread(id="t", title="", created=5.0)
    assert thread.with_fields(updated=time).updated == 5.0


def test_fields_of_a_wrong_kind_are_read_as_missing():
    message = Message({"id": "m", "role": "user", "metadata": ["x"], "content": 7})
    assert (message.text, dict(message.metadata), message.active_child_id) == ("", {}, None)
    assert message.with_metadata({"error": 5}).error is None
    assert message.with_metadata({"error": "It failed."}).error == "It failed."
    thread = Thread({"id": "t", "title": 5, "metadata": "x"})
    assert (thread.title, thread.active_root_id, thread.created) == ("", None, 0.0)


def test_a_thread_keeps_what_it_does_not_know():
    thread = Thread({"id": "t", "model": {"id": "x"}}).with_metadata({"activeRootId": "u1"})
    assert thread.active_root_id == "u1"
    assert thread.data["model"] == {"id": "x"}
    assert new_thread(id="t", title="Tea", created=3.0).updated == 3.0


@given(st.dictionaries(KEYS, JSON))
def test_no_field_of_any_kind_breaks_reading_or_changing(fields):
    message = Message({"id": "m", "role": "user", **fields})
    assert isinstance(message.text + message.status + message.thread_id, str)
    assert message.created_at == message.created_at
    assert message.with_text("new").text == "new"
    assert message.with_appended("!").text.partition("\n\n")[0].endswith("!")
    changed = message.with_metadata({"parentId": "p"}).with_fields(status="ready")
    assert changed.parent_id == "p"
    assert json.dumps(changed.data)
