"""Which backup is meant by a moment that a person types."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

from webapp.backups.states import State
from webapp.backups.vault import Listing, Vault
from webapp.errors import BadInput, NotFound

# How much each way of writing a moment leaves open.
_FORMS: Final = (
    (re.compile(r"\d{4}-\d\d-\d\d"), timedelta(days=1)),
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d"), timedelta(minutes=1)),
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d"), timedelta(seconds=1)),
)


def shown(made: int) -> str:
    """As `chosen` takes it."""
    return f"{datetime.fromtimestamp(made / 1000):%Y-%m-%d %H:%M:%S}"


def chosen(vault: Vault, when: str = "") -> State:
    """The newest, or the last one made by the end of that day, minute or second of this machine's
    clock. Raises BadInput or NotFound, or what is wrong with the only one there is."""
    listing = vault.listing()
    latest = _end(when) if when else None
    for state in listing.states:
        if latest is None or state.made < latest:
            return state
    raise _none(vault, listing, when)


def _end(when: str) -> int:
    """In milliseconds since 1970."""
    try:
        for form, left_open in _FORMS:
            if form.fullmatch(when.strip()):
                moment = datetime.fromisoformat(when.strip()) + left_open
                return round(moment.timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        pass
    raise BadInput(
        f"{when!r} is not a day or time that Strata understands.",
        "Write it as 2026-12-03 or 2026-12-03 18:30, or as `strata backup list` shows it.",
    )


def _none(vault: Vault, listing: Listing, when: str) -> Exception:
    if listing.states:
        oldest = shown(listing.states[-1].made)
        return NotFound(
            f"There is no backup from {when} or earlier.", f"The oldest one is from {oldest}."
        )
    for problem in listing.problems.values():
        return problem
    return NotFound(
        f"There is no finished backup in {vault.folder}.", "Run `strata backup` to make one."
    )
