"""Where the tokens go."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.ledger import Ledger

ROW = st.integers(0, 3000)


@given(st.builds(Ledger, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW))
def test_rows_add_up_to_the_window_or_to_what_is_over(ledger):
    whole = sum(tokens for _, tokens in ledger.rows())
    assert whole == max(ledger.window, ledger.used + ledger.reserve)
    assert ledger.over == (whole - ledger.window if ledger.window else 0)
    assert ledger.free == dict(ledger.rows())["free"]
    assert sum(ledger.share(tokens) for _, tokens in ledger.rows()) < 1.000001


def test_a_share_of_an_unknown_window_is_one_of_what_is_spent():
    assert Ledger(0, history=30, reserve=10).share(30) == 0.75
    assert Ledger(0).share(0) == 0


def test_it_warns_when_the_prompt_has_little_room_left():
    assert not Ledger(1000, history=680, reserve=200).warns
    assert Ledger(1000, history=681, reserve=200).warns
    assert not Ledger(0, history=681).warns
