"""For whom something is taken along or brought in: what they have, and what they may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from webapp.threads.ownership import owner_in, shares_in

_ALL: Final = "all"


@dataclass(frozen=True)
class Whose:
    """The person with `id`, among `people` of the house. Its owner (`is_owner`) also has what
    nobody else has. Where nobody ever joined, all is theirs who asks."""

    id: str = ""
    is_owner: bool = True
    people: frozenset[str] = frozenset()

    def has(self, fields: Mapping[str, Any]) -> bool:
        """A thing with these fields, which may say whose it is."""
        return self.is_of(owner_in(fields))

    def is_of(self, owner: str) -> bool:
        if not self.people or owner == self.id:
            return True
        return self.is_owner and owner not in self.people

    def may_write(self, fields: Mapping[str, Any]) -> bool:
        shares = shares_in(fields)
        return self.has(fields) or "write" in (shares.get(self.id), shares.get(_ALL))
