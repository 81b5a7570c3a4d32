"""What a pin or a mute does to the other messages of a full window."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chat.test_window_properties import STEPS, alone_too_long, built
from tests.chat.windows import patched, talk
from webapp.chat.estimate import estimated_message
from webapp.chat.limits import Limits, limits
from webapp.chat.moved import Moved, moved
from webapp.chat.scales import Scales
from webapp.chat.window import plan


def planned(path, room=14 * 10):
    return plan(path, Scales(), Limits(0, 0, room))


def after(path, id, room=14 * 10, **marks):
    return moved(planned(path, room), planned(patched(path, id, **marks), room), id)


def resting(path, id):
    """As after an answer whose window began there."""
    return patched(path, path[-2].id, usage={"window_start": id})


def test_with_room_for_all_nothing_moves():
    assert after(talk(*[35] * 9), "m4", muted=True) == Moved()


def test_a_mute_that_makes_much_room_lets_earlier_messages_come_back():
    path = resting(talk(*[35] * 12, 400, 35, 35), "m12")
    assert after(path, "m12", room=14 * 14, muted=True).back > 0
    before = planned(path, 14 * 14)
    muted = planned(patched(path, "m12", muted=True), 14 * 14)
    assert muted.ledger.used <= 14 * 14
    assert len(before.left_out) > len(muted.left_out)


def test_a_pin_that_takes_the_room_of_others_is_told():
    path = resting(talk(100, 35, *[35] * 13), "m6")
    found = after(path, "m0", pinned=True)
    assert found.gone > 0
    assert found.back == 0


def test_it_is_told_in_words():
    assert Moved().words == ""
    assert Moved(back=1).words == "1 earlier message is sent again: there is room for it."
    assert Moved(1200, 1).words == (
        "1,200 earlier messages are sent again: there is room for them. "
        "1 other message is not sent any more: there is no room for it."
    )
    assert Moved(gone=2).words == (
        "2 other messages are not sent any more: there is no room for them."
    )


@given(STEPS.filter(bool), st.data(), st.integers(30, 900))
@settings(max_examples=150)
def test_a_mute_makes_the_count_fall_by_its_message_or_others_come_back(steps, data, most):
    path, held = built(steps), limits(most + 50, 50, 0)
    begun = data.draw(st.sampled_from(["", *(each.id for each in path)]))
    path = [
        each.with_metadata({"usage": {"window_start": begun}}) if each.role == "assistant" else each
        for each in path
    ]
    before = plan(path, Scales(), held)
    sent = [each for each in path if before.states[each.id] in ("sent", "pinned")]
    if not sent:
        return
    one = data.draw(st.sampled_from(sent))
    muted = plan(patched(path, one.id, muted=True, pinned=None), Scales(), held)
    if not moved(before, muted, one.id).back:
        assert muted.ledger.used <= before.ledger.used - estimated_message(one)
    if muted.ledger.used > most:
        assert alone_too_long(muted, "steady")
