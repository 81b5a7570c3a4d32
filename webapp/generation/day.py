"""Whose day it is: the reader's, who may be in another time zone than this machine.

The page notes the zone of its reader before anything is done for them; a run takes it along.
"""

from __future__ import annotations

from contextvars import ContextVar
from datetime import UTC, date, datetime, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

_LONGEST_NAME: Final = 64
_zone: ContextVar[str] = ContextVar("zone", default="")


def read_in(zone: str) -> None:
    """What follows in this thread is done for a reader in that zone, by its IANA name; an empty
    or unknown one is the machine's."""
    _zone.set(zone)


def readers_zone() -> str:
    return _zone.get()


def day(now_ms: int, zone: str) -> date:
    """The date there, at that moment."""
    moment = datetime.fromtimestamp(now_ms / 1000, UTC)
    return moment.astimezone(_zone_named(zone)).date()


def begins_at(day: date, zone: str) -> int:
    """The moment that a day begins there, in milliseconds since 1970. OverflowError, ValueError or
    OSError for one that no calendar has."""
    return int(datetime(day.year, day.month, day.day, tzinfo=_zone_named(zone)).timestamp() * 1000)


def _zone_named(name: str) -> tzinfo | None:
    """None is the machine's own."""
    if not name or len(name) > _LONGEST_NAME:
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None
