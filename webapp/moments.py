"""Times in words, as the clock of this machine shows them."""

from __future__ import annotations

from datetime import datetime


def moment(milliseconds: float) -> datetime | None:
    """The local time of a number of milliseconds since 1970, or None for a number that is no time
    on a calendar."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000).astimezone()
    except (OverflowError, ValueError, OSError):
        return None


def long_date(milliseconds: float) -> str:
    """Day and time; empty for none."""
    when = moment(milliseconds) if milliseconds else None
    return f"{when.day} {when:%B %Y, %H:%M}" if when else ""
