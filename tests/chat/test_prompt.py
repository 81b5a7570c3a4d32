"""What of a path the model is sent."""

from tests.chat.windows import call, message, result
from webapp.chat.messages import new_message
from webapp.chat.prompt import has_question, joined, parts
from webapp.chat.prompt import said as put


def said(role, text, status="ready", **metadata):
    return new_message(
        id="m", thread_id="t", role=role, text=text, created_at=0, status=status, metadata=metadata
    )


def test_roles_alternate_whatever_the_path():
    path = [said("user", "one"), said("user", "two"), said("assistant", "three")]
    assert parts(path) == [("user", "one\n\ntwo"), ("assistant", "three")]


def test_errors_pending_and_empty_answers_are_never_sent_back():
    path = [
        said("user", "q"),
        said("assistant", "half", status="error"),
        said("assistant", "", status="stopped"),
        said("assistant", "so far", status="pending"),
    ]
    assert parts(path) == [("user", "q")]


def test_a_stopped_answer_is_sent_with_the_words_it_has():
    assert parts([said("user", "q"), said("assistant", "half", status="stopped")])[1][1] == "half"


def test_thinking_is_not_sent_back():
    path = [said("user", "q"), said("assistant", "<think>plan</think>The answer is 4.")]
    assert parts(path)[1] == ("assistant", "The answer is 4.")


def test_what_a_person_typed_about_thinking_tags_is_sent_as_typed():
    assert parts([said("user", "What does <think> do?")]) == [("user", "What does <think> do?")]


def test_instructions_come_first_and_blank_ones_mean_none():
    assert parts([said("user", "q")], "Be brief.")[0] == ("system", "Be brief.")
    assert parts([said("user", "q")], "  \n") == [("user", "q")]


def test_without_a_genuine_question_there_is_nothing_to_answer():
    assert not has_question([("system", "x"), ("assistant", "y")])
    assert not has_question([("user", "   ")])
    assert has_question([("user", "q")])


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
