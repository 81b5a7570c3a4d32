import json

import pytest

from webapp.engines.script import (
    MARKDOWN,
    SLOW_SECONDS,
    UNSAFE,
    Fail,
    Reply,
    Say,
    Wait,
    asked_last,
    decision_on,
    recall_on,
    reply_to,
)


def text(reply):
    return "".join(step.text for step in reply.steps if isinstance(step, Say))


def test_a_plain_question_is_quoted():
    assert "**what is new?**" in text(reply_to("  what is\n new? "))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("/markdown", MARKDOWN),
        ("/unsafe now", UNSAFE),
        ("", MARKDOWN),
        ("/echo a  b\nc", "a  b\nc"),
    ],
)
def test_a_command_chooses_the_text(question, answer):
    assert text(reply_to(question)) == answer


def test_long_answers_have_four_hundred_lines():
    assert text(reply_to("/long please")).count("Line ") == 400


def test_commands_combine():
    reply = reply_to("/slow tell me /hold")
    assert reply.delay_seconds == SLOW_SECONDS
    assert "**tell me**" in text(reply)
    assert isinstance(reply.steps[-1], Wait)


def test_answers_can_fail_before_and_after_the_first_word():
    assert [type(step) for step in reply_to("/refuse").steps] == [Fail]
    assert [type(step) for step in reply_to("/fail x").steps] == [Say, Fail]


def test_reading_can_be_held_and_an_answer_can_be_empty():
    assert isinstance(reply_to("/wait").reading[0], Wait)
    assert reply_to("/empty") == Reply(())


@pytest.mark.parametrize("words", ["and/fail", "/failing", "https://x/fail", "\\/echo"])
def test_words_that_only_look_like_commands_are_words(words):
    assert f"**{words}**" in text(reply_to(words))


def test_nothing_after_echo_is_a_command():
    assert text(reply_to("/slow /echo say /fail")) == "say /fail"


@pytest.mark.parametrize(
    ("question", "decision"),
    [
        ("How are you?", {"action": "answer_directly"}),
        ("/files what is there?", {"action": "list_attachments"}),
        ("/retrieve rye bread", {"action": "retrieve", "query": "rye bread"}),
        (
            "x\nThe question: “/retrieve 漢字 now”\nReply.",
            {"action": "retrieve", "query": "漢字 now"},
        ),
        ("/files then /retrieve rye", {"action": "retrieve", "query": "rye"}),
        ("/retrieve rye\n/files", {"action": "list_attachments"}),
        ("and/retrieve rye", {"action": "answer_directly"}),
    ],
)
def test_a_decision_is_what_the_last_command_says(question, decision):
    assert json.loads(text(decision_on(question))) == decision


def test_it_looks_into_earlier_chats_when_it_is_told_to():
    assert json.loads(text(recall_on("/recall my dog"))) == {"action": "recall"}
    assert json.loads(text(recall_on("my /recalled dog"))) == {"action": "answer_directly"}


def test_the_words_of_a_decision_are_quoted_in_the_answer():
    assert "**rye bread**" in text(reply_to("/retrieve rye bread"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ('/call {"name": "a", "arguments": {}} now', '{"name": "a", "arguments": {}}'),
        ("/call {broken\nmore", "{broken"),
        ("/call [1,\n2] x", "[1,\n2]"),
    ],
)
def test_a_call_is_written_as_models_write_it(question, answer):
    assert text(reply_to(question)) == f"<tool_call>\n{answer}\n</tool_call>"


def test_several_calls_are_written_below_each_other():
    assert text(reply_to("/call {} and /call {}")).count("<tool_call>\n{}\n</tool_call>") == 2


def test_with_a_result_at_hand_a_call_is_not_made_again():
    assert "**rye?**" in text(reply_to("/call {} rye?", called=True))


@pytest.mark.parametrize(
    ("turns", "found"),
    [
        ([], ("", False)),
        ([("user", "a"), ("assistant", "b"), ("user", "c")], ("c", False)),
        ([("user", "a"), ("assistant", "b"), ("tool", "c")], ("a", True)),
        ([("user", "a"), ("assistant", "b"), ("user", "\n<tool_response>\nc")], ("a", True)),
        ([("user", "a"), ("tool", "b"), ("user", "c")], ("c", False)),
    ],
)
def test_results_of_tools_are_no_questions(turns, found):
    assert asked_last(turns) == found
