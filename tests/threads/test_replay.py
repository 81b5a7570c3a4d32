from tests.threads.store_contract import said
from webapp.chat.messages import Message
from webapp.chat.records import Append, Delete, Patch, Put
from webapp.threads.replay import Replay


def test_records_play_in_order():
    replay = Replay(
        [Put(said("a", "x")), Append("a", "y"), Patch("a", {"pin": 1}), Append("a", "z")]
    )
    assert replay.get("a").text == "xyz"
    assert replay.get("a").metadata["pin"] == 1


def test_a_put_forgets_what_was_appended_before():
    assert (
        Replay([Put(said("a")), Append("a", "old"), Put(said("a", "new"))]).get("a").text == "new"
    )


def test_a_deleted_message_comes_back_to_its_place():
    replay = Replay([Put(said(id)) for id in "abc"])
    replay.apply(Delete("a"))
    assert "a" not in replay
    assert [message.id for message in replay.messages()] == ["b", "c"]
    replay.apply(Put(said("a")))
    assert [message.id for message in replay.messages()] == ["a", "b", "c"]


def test_changes_of_unknown_messages_leave_no_place_behind():
    replay = Replay([Delete("x"), Append("x", "t"), Patch("x", {"a": 1})])
    assert replay.messages() == ()
    assert replay.places() == []


def test_text_is_appended_to_content_of_any_shape():
    for content in (None, "text", [], [5], [{"type": "image"}], [{"type": "text", "text": None}]):
        message = Message({"id": "m", "role": "user", "content": content})
        replay = Replay([Put(message), Append("m", " more")])
        expected = "text more" if content == "text" else " more"
        assert replay.get("m").text == expected
