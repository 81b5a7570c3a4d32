"""No request without a genuine question."""

import pytest

from tests.chat.windows import message, patched, talk
from webapp.chat.limits import Limits
from webapp.chat.scales import Scales
from webapp.chat.window import plan
from webapp.errors import BadInput


def refused(path, most=None, **options):
    with pytest.raises(BadInput) as error:
        plan(path, Scales(), Limits(0, 0, most), **options).check()
    return str(error.value)


@pytest.mark.parametrize(
    "path", [[], [message("a", "assistant")], [message("q", text=" \n")], [message("s", "system")]]
)
def test_without_a_question_nothing_is_sent(path):
    assert refused(path, instructions="Be brief.") == (
        "There is no question left to answer. Write one and send it."
    )


def test_a_muted_question_is_named():
    assert "muted" in refused(patched(talk(7, 7, 7), "m2", muted=True))
    assert "muted" in refused([*patched(talk(7, 7, 7), "m2", muted=True), message("e", text="")])


def test_a_window_that_holds_no_question_any_more_is_named():
    assert "no room" in refused(talk(7, 700), 20, trim="exact")


def test_a_muted_question_that_was_answered_is_no_reason():
    plan(patched(talk(7, 7, 7), "m0", muted=True), Scales(), Limits(0, 0, None)).check()


def test_a_draft_is_a_question():
    plan([], Scales(), Limits(0, 0, None), draft="Hello?").check()


@pytest.mark.parametrize(
    "content", [[], "", [{"type": "image_url", "image_url": {"url": "data:"}}]]
)
def test_a_question_without_words_is_named_and_no_earlier_one_answered_for_it(content):
    path = [*talk(7, 7), message("q").with_fields(content=content)]
    assert "no words" in refused(path)
    assert "no words" in refused(path, 40, trim="exact")
    plan([*path, message("a", "assistant")], Scales(), Limits(0, 0, None)).check()
    plan(path, Scales(), Limits(0, 0, None), draft="Hello?").check()
