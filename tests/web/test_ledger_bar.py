"""The bar of the window: every token of the ledger is on it, and what warns says why."""

from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.chat.ledger import Ledger
from webapp.web.ledger_bar import LABELS, NARROWEST, WIDTH, bar

tokens = st.integers(0, 200_000) | st.integers(0, 40)
ledgers = st.builds(
    Ledger, **dict.fromkeys([name for name in LABELS if name != "free"], tokens), window=tokens
)


def drawn(ledger, exact=True, compacting="off", trims=True):
    return bar(ledger, exact=exact, compacting=compacting, trims=trims)


@settings(max_examples=60)
@given(ledgers)
def test_segments_fill_the_bar_without_gaps_and_each_is_seen(ledger):
    segments = drawn(ledger).segments
    assert {each.name: each.tokens for each in segments} == {
        name: count for name, count in ledger.rows() if count > 0
    }
    ends = [each.x + each.width for each in segments]
    assert [each.x for each in segments] == [0, *ends[:-1]][: len(segments)]
    assert not segments or ends[-1] == WIDTH
    assert all(each.width >= NARROWEST for each in segments)


def test_what_costs_nothing_is_not_named_and_the_reserve_stands_last():
    segments = drawn(Ledger(window=1000, history=300, draft=100, reserve=200)).segments
    assert [(each.label, each.tokens, each.share) for each in segments] == [
        ("Messages", 300, "30 %"),
        ("Your draft", 100, "10 %"),
        ("Free", 400, "40 %"),
        ("Kept for the answer", 200, "20 %"),
    ]


def test_a_small_share_is_not_told_as_nothing():
    assert drawn(Ledger(window=100_000, system=3)).segments[0].share == "< 1 %"


def test_the_words_say_about_while_it_is_an_estimate():
    ledger = Ledger(window=8192, history=1234, reserve=2048)
    assert drawn(ledger).words == "1,234 of 6,144 tokens"
    assert drawn(ledger, exact=False).words == "About 1,234 of 6,144 tokens"
    assert drawn(Ledger(window=0, history=12)).words == "12 tokens"


def test_it_warns_above_85_percent_and_says_what_comes_then():
    assert drawn(Ledger(window=1000, history=680, reserve=200)).warning == ""
    full = Ledger(window=1000, history=681, reserve=200)
    assert drawn(full).warning == (
        "More than 85 % of the window is used. Soon the oldest messages will be left out."
    )
    assert "notes will stand in" in drawn(full, compacting="when_full").warning
    assert "the model will refuse" in drawn(full, compacting="when_full", trims=False).warning


def test_what_passes_the_window_is_told_in_tokens():
    over = drawn(Ledger(window=1000, history=1900, reserve=200))
    assert over.warning == "This is 1,100 tokens more than the window holds."
    assert [each.name for each in over.segments] == ["history", "reserve"]
