"""Where the window begins."""

from tests.chat.windows import message, talk
from webapp.chat.reach import Reach, is_question
from webapp.chat.scales import Scales


def reach(path, floor=0, apart=()):
    scales = Scales()
    return Reach(scales.facts(path), scales, floor, apart)


TALK = talk(*[35] * 9)  # each costs 14


def test_exactly_as_much_as_there_is_room_for():
    assert reach(TALK).exact(14 * 9) == 0
    assert reach(TALK).exact(14 * 9 - 1) == 1
    assert reach(TALK).exact(0) == 8


def test_what_fits_is_not_cut():
    assert reach(TALK).steady(14 * 9, None) == 0


def test_a_full_window_is_cut_to_a_share_and_begins_with_a_question():
    # Seven tenths of 125 hold six messages; the sixth from the end is an answer.
    assert reach(TALK).steady(14 * 9 - 1, None) == 4


def test_the_beginning_rests_while_that_fits():
    assert reach(TALK).steady(14 * 5, 4) == 4
    assert reach(TALK).steady(14 * 5 - 1, 4) == 6


def test_a_window_that_became_much_larger_is_filled_again():
    assert reach(TALK).steady(10_000, 4) == 0
    assert reach(TALK).steady(14 * 9, 4) == 4
    assert reach(TALK).steady(14 * 20, 6) == 0


def test_nothing_before_the_floor():
    assert reach(TALK, floor=3).steady(10_000, None) == 4
    assert reach(TALK, floor=3).exact(10_000) == 3


def test_messages_apart_cost_nothing_here():
    assert reach(TALK, apart={0, 1, 2}).exact(14 * 6) == 0


def test_a_conversation_that_begins_with_an_answer_is_sent_from_it():
    greeting = [message("g", "assistant", "Hello!"), *talk(35)]
    assert reach(greeting).steady(1000, None) == 0


def test_questions_are_live_and_have_words():
    def question(said):
        return is_question(Scales().facts([said])[0])

    assert question(message("m"))
    assert not question(message("m", text=" "))
    assert not question(message("m", muted=True))
    assert not question(message("m", "assistant"))
