"""What a look at a data directory found, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_MOST_NAMED: Final = 8


@dataclass(frozen=True)
class Finding:
    """`where` is a thread's id (`<milliseconds>.<id>` in the trash) or the name of a file; `what`
    is a sentence. `mendable` when `strata doctor --repair` takes care of it."""

    where: str
    what: str
    mendable: bool = True

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def counted(number: int, thing: str) -> str:
    """`1 line`, `1,200 lines`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def told(things: Sequence[object], thing: str, one: str, several: str) -> str:
    """`1 message hangs …: a.` or `3 messages hang …: a, b, c.`; empty for none."""
    if not things:
        return ""
    named = ", ".join(str(each) for each in things[:_MOST_NAMED])
    more = len(things) - _MOST_NAMED
    rest = f" and {more:,} more" if more > 0 else ""
    verb = one if len(things) == 1 else several
    return f"{counted(len(things), thing)} {verb}: {named}{rest}."
