"""Whose a thread or project is, and with whom it is shared: `owner` and `shares` among its fields.

Files come from other programs too, so anything but what we write means: no owner, shared with
nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from webapp.chat.messages import is_id

OWNER: Final = "owner"
SHARES: Final = "shares"
Right = Literal["read", "write"]


def owned(owner: str) -> dict[str, Any]:
    """The fields that say so; none for nobody in particular."""
    return {OWNER: owner} if owner else {}


def owner_in(fields: Mapping[str, Any]) -> str:
    """A person's id, or empty."""
    found = fields.get(OWNER)
    return found if isinstance(found, str) and is_id(found) else ""


def shares_in(fields: Mapping[str, Any]) -> dict[str, Right]:
    """By a person's id, or `all`."""
    found = fields.get(SHARES)
    rows = found.items() if isinstance(found, Mapping) else ()
    rights: dict[str, Right] = {"read": "read", "write": "write"}
    return {
        whose: rights[right]
        for whose, right in rows
        if is_id(whose) and isinstance(right, str) and right in rights
    }
