"""A ledger as one bar: where each part begins, how wide it is, and what it says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from webapp.chat.ledger import WARN_ABOVE, Ledger
from webapp.chat.limits import Compacting

WIDTH: Final = 1000
# What costs anything at all is seen.
NARROWEST: Final = 5
LABELS: Final = {
    "system": "Instructions",
    "tools": "Tools",
    "pinned": "Pinned",
    "summary": "Notes",
    "history": "Messages",
    "inlined": "Files",
    "retrieved": "Passages found",
    "draft": "Your draft",
    "free": "Free",
    "reserve": "Kept for the answer",
}
SOON_NOTES: Final = "Soon notes will stand in for the oldest messages."
SOON_LEFT_OUT: Final = "Soon the oldest messages will be left out."
SOON_REFUSED: Final = "Soon the model will refuse, for nothing is left out of this thread."


@dataclass(frozen=True)
class Segment:
    """`x` and `width` of `WIDTH`; `share` is percent in words."""

    name: str
    label: str
    tokens: int
    share: str
    x: int
    width: int


@dataclass(frozen=True)
class Bar:
    """Only what costs something. `words` tell the whole in a line; `warning` is empty while there
    is room."""

    segments: tuple[Segment, ...]
    words: str
    warning: str


def bar(ledger: Ledger, *, exact: bool, compacting: Compacting, trims: bool) -> Bar:
    """`exact` is False for an estimate, which then says *about*; `trims`: what does not fit is
    left out."""
    about = "" if exact else "About "
    room = ledger.window - ledger.reserve
    of = f"{ledger.used:,} of {room:,}" if room > 0 else f"{ledger.used:,}"
    then = (SOON_REFUSED, SOON_NOTES if compacting != "off" else SOON_LEFT_OUT)[trims]
    return Bar(tuple(_segments(ledger)), f"{about}{of} tokens", _warning(ledger, then))


def _segments(ledger: Ledger) -> Iterator[Segment]:
    """The reserve stands last, so that what is written grows towards it."""
    tokens = dict(ledger.rows())
    costing = [(name, tokens[name]) for name in LABELS if tokens[name] > 0]
    widths = _widths([ledger.share(each) for _, each in costing])
    x = 0
    for (name, each), width in zip(costing, widths, strict=True):
        yield Segment(name, LABELS[name], each, _percent(ledger.share(each)), x, width)
        x += width


def _widths(shares: list[float]) -> list[int]:
    """Whole numbers that fill the bar; the widest part makes room for the narrow ones."""
    widths = [max(round(share * WIDTH), NARROWEST) for share in shares]
    if widths:
        widths[widths.index(max(widths))] += WIDTH - sum(widths)
    return widths


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %") if share >= 0.01 else "< 1 %"


def _warning(ledger: Ledger, then: str) -> str:
    if ledger.over:
        return f"This is {ledger.over:,} tokens more than the window holds."
    return f"More than {_percent(WARN_ABOVE)} of the window is used. {then}" if ledger.warns else ""
