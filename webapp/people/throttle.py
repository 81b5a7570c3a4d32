"""How long to wait after wrong passwords: not at all after the first few, then twice as long each
time, up to a limit.

Pure: moments come in as milliseconds. Whoever keeps the failures keeps them in bounds.
"""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

FREE: Final = 3
FIRST_MS: Final = 1000
FORGOTTEN_AFTER_MS: Final = 24 * 3600 * 1000
KEPT: Final = 32
# An address is one guest; a name may be tried by a stranger while its person wants to come in.
LONGEST_MS: Final = {"address": 15 * 60 * 1000, "name": 60 * 1000}


def wait_ms(failures: Sequence[int], now: int, longest: int) -> int:
    """Until the next try, after failures at these moments (oldest first): none for the first few,
    then twice as long each time."""
    recent = [moment for moment in failures if now - moment < FORGOTTEN_AFTER_MS]
    if len(recent) < FREE:
        return 0
    delay = min(FIRST_MS << min(len(recent) - FREE, 40), longest)
    return max(0, recent[-1] + delay - now)


def guest_at(address: str) -> str:
    """What counts as one guest: an IPv4 address, or all of the IPv6 network that is given out to
    one house, in which each device takes new addresses as it likes."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))


@dataclass(frozen=True)
class Try:
    """Where one try is counted: a kind of LONGEST_MS, and which of that kind."""

    kind: str
    which: str


class Failures:
    """Those of the last day, of at most `most` addresses and names; not safe for threads. The one
    whose last failure is oldest is forgotten first."""

    def __init__(self, most: int = 4096) -> None:
        self._most = most
        self._moments: OrderedDict[Try, tuple[int, ...]] = OrderedDict()

    def wait_ms(self, tries: Sequence[Try], now: int) -> int:
        """The longest wait of any of them."""
        waits = (wait_ms(self._moments.get(each, ()), now, LONGEST_MS[each.kind]) for each in tries)
        return max(waits, default=0)

    def add(self, tries: Sequence[Try], now: int) -> None:
        for each in tries:
            kept = self._moments.pop(each, ())
            self._moments[each] = (*kept, now)[-KEPT:]
        while len(self._moments) > self._most:
            self._moments.popitem(last=False)

    def take_back(self, tries: Sequence[Try], moment: int) -> None:
        """What was counted at that moment was no failure."""
        for each in tries:
            kept = list(self._moments.get(each, ()))
            if moment in kept:
                kept.remove(moment)
                self._moments[each] = tuple(kept)

    def forget(self, tries: Sequence[Try]) -> None:
        for each in tries:
            self._moments.pop(each, None)

    def __len__(self) -> int:
        return len(self._moments)
