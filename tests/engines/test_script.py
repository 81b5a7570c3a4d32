import pytest

from webapp.engines.script import MARKDOWN, SLOW_SECONDS, UNSAFE, Fail, Reply, Say, Wait, reply_to


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
