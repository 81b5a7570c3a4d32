"""What an assistant says about how its answers are made, with range and meaning.

Files come from other programs and from hands too: what is no number counts as not set, and one
beyond the range as the nearest in it. What a person types into a form is refused instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from webapp.chat.wording import clean
from webapp.errors import BadInput

_NUMBER: Final = re.compile(r"-?\d{1,16}(?:\.\d{1,16})?")


@dataclass(frozen=True)
class Parameter:
    """`usual` holds where an assistant does not say: a number, or words for what happens then."""

    name: str
    label: str
    lowest: int | float
    highest: int | float
    usual: int | float | str
    meaning: str
    whole: bool = False

    @property
    def range(self) -> str:
        return f"{self.lowest:,} to {self.highest:,}"

    def read(self, value: object) -> int | float | None:
        """What a file says, or None where it says nothing that could be used."""
        number = _number(value)
        if number is None:
            return None
        within = min(max(number, self.lowest), self.highest)
        return round(within) if self.whole else within

    def typed(self, text: str) -> int | float | None:
        """What a person wrote; None for nothing. Raises BadInput with the range."""
        words = text.strip()
        if not words:
            return None
        # A comma stands before decimals, or between thousands where there are no decimals.
        number = _spelled(words.replace(",", "" if self.whole else "."))
        if number is None or not self.lowest <= number <= self.highest or self._is_broken(number):
            kind = "whole number" if self.whole else "number"
            raise BadInput(
                f"{self.label} cannot be “{clean(words)[:40]}”.",
                do=f"Write a {kind} from {self.range}, or leave it empty.",
            )
        return int(number) if number.is_integer() else number

    def _is_broken(self, number: float) -> bool:
        return self.whole and not number.is_integer()


PARAMETERS: Final = (
    Parameter(
        *("temperature", "Temperature", 0, 2, 0.7),
        "How freely words are chosen. 0 always takes the likeliest; above 1 answers wander.",
    ),
    Parameter(
        *("top_k", "Top k", 0, 1_000, 20),
        "Only so many of the likeliest next words are considered; 0 considers all.",
        whole=True,
    ),
    Parameter(
        *("top_p", "Top p", 0, 1, 0.8),
        "Of those, only the likeliest that together have this share; 1 considers all.",
    ),
    Parameter(
        *("repeat_penalty", "Repeat penalty", 0.5, 2, 1.12),
        "How much words that were just used are avoided; 1 does not avoid them.",
    ),
    Parameter(
        *("seed", "Seed", 0, 4_294_967_294, "another one each time"),
        "With the same seed the same request gets the same answer.",
        whole=True,
    ),
    Parameter(
        *("max_output_tokens", "Longest answer, in tokens", 16, 131_072, "as the settings say"),
        "This much of the window is kept free for it. A thread's own window goes first.",
        whole=True,
    ),
)
SAMPLING: Final = PARAMETERS[:5]


def usual() -> dict[str, int | float]:
    """What the built-in assistant has."""
    numbers = ((each.name, each.usual) for each in PARAMETERS)
    return {name: value for name, value in numbers if not isinstance(value, str)}


def chosen(parameters: Mapping[str, object]) -> dict[str, int | float]:
    """What an assistant's own parameters say, of those known here."""
    read = ((each.name, each.read(parameters.get(each.name))) for each in PARAMETERS)
    return {name: value for name, value in read if value is not None}


def sampling(parameters: Mapping[str, object]) -> dict[str, int | float]:
    """How words are chosen: the assistant's own parameters, and the usual ones for the others."""
    found = {**usual(), **chosen(parameters)}
    return {each.name: found[each.name] for each in SAMPLING if each.name in found}


def _number(value: object) -> float | None:
    """A finite number, also one written as text, as some programs do."""
    if isinstance(value, str):
        return _spelled(value.strip())
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def _spelled(words: str) -> float | None:
    plain = words.isascii() and _NUMBER.fullmatch(words)
    return float(words) if plain else None
