"""What bytes were before a change, written as the difference to what they are after it. Pure.

A streamed answer grows by many small steps; keeping it whole for each of them would cost the
square of its length.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass


class BrokenChainError(ValueError):
    """These are not the bytes that the difference was taken from."""


@dataclass(frozen=True, slots=True)
class Delta:
    """Before = the first `head` bytes of after, `middle`, the last `tail` bytes of after.

    `middle` is None when there was nothing before; `crc` is the CRC-32 of what was before."""

    head: int
    tail: int
    middle: bytes | None
    crc: int

    def before(self, after: bytes | None) -> bytes | None:
        """Raises BrokenChainError when someone else changed `after` in between."""
        if self.middle is None:
            return None
        base = after or b""
        whole = base[: self.head] + self.middle + base[len(base) - self.tail :]
        if zlib.crc32(whole) != self.crc:
            raise BrokenChainError
        return whole


def delta(before: bytes | None, after: bytes | None) -> Delta:
    """How to come back from `after` to `before`; None stands for nothing there."""
    if before is None:
        return Delta(0, 0, None, 0)
    head = _shared(before, after or b"")
    tail = _shared(before[head:][::-1], (after or b"")[head:][::-1])
    return Delta(head, tail, before[head : len(before) - tail], zlib.crc32(before))


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes both begin with. Halving compares slices, which is a thousand times faster
    than a loop over bytes."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
