"""What of a path the model is sent."""

from tests.chat.windows import call, message, result
from webapp.chat.messages import new_message
from webapp.chat.prompt import is_sendable, joined, words
from webapp.chat.prompt import said as put


def said(role, text, status="ready", **metadata):
    return new_message(
        id="m", thread_id="t", role=role, text=text, created_at=0, status=status, metadata=metadata
    )


def test_errors_and_answers_under_way_are_never_sent_back():
    assert not is_sendable(said("assistant", "half", status="error"))
    assert not is_sendable(said("assistant", "so far", status="pending"))
    assert not is_sendable(said("narrator", "Once upon a time"))
    assert is_sendable(said("user", "q", status="error"))


def test_a_stopped_answer_is_sent_with_the_words_it_has():
    stopped = said("assistant", "half", status="stopped")
    assert is_sendable(stopped)
    assert put(stopped, ()) == [("assistant", "half")]
    assert put(said("assistant", "", status="stopped"), ()) == []


def test_thinking_is_not_sent_back():
    assert words(said("assistant", "<think>plan</think>The answer is 4.")) == "The answer is 4."


def test_what_a_person_typed_about_thinking_tags_is_sent_as_typed():
    assert words(said("user", "What does <think> do?")) == "What does <think> do?"


def test_joining_keeps_the_order_of_words():
    assert joined([("user", "a"), ("user", "b"), ("assistant", "c"), ("user", "d")]) == [
        ("user", "a\n\nb"),
        ("assistant", "c"),
        ("user", "d"),
    ]


def test_a_question_is_sent_behind_its_inlined_files():
    file = {"name": "a.txt", "content": "text"}
    assert put(message("m", text="q", inline_file_contents=[file]), ()) == [
        ("user", "File: a.txt\ntext\n\nq")
    ]


def test_a_call_is_sent_only_with_its_result():
    [(_, content)] = put(call("m", "1", "2", text="Look."), {"2"})
    assert content.startswith("Look.\n<tool_call>")
    assert content.count("<tool_call>") == 1
    assert put(call("m", "1", text="Look."), ()) == [("assistant", "Look.")]
    assert put(call("m", "1"), ()) == []


def test_a_result_is_sent_only_for_its_call():
    assert put(result("m", "1", "found"), {"1"}) == [("tool", "found")]
    assert put(result("m", "1", ""), {"1"}) == [("tool", "")]
    assert put(result("m", "1", "found"), {"2"}) == []


def test_a_call_that_has_its_result_inside_comes_before_the_answer():
    inside = [{"tool": {"id": "c", "function": {"name": "f"}}, "response": "r"}]
    sent = put(message("m", "assistant", "So.", tool_calls=inside), ())
    assert [role for role, _ in sent] == ["assistant", "tool", "assistant"]
    assert sent[1:] == [("tool", "r"), ("assistant", "So.")]
