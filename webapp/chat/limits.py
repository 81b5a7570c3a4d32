"""What the settings of a window mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

Compacting = Literal["off", "when_full", "at_60"]

MAX_OUTPUT_TOKENS: Final = 2048
_MODES: Final[dict[str, Compacting]] = {
    "true": "when_full",
    "when_full": "when_full",
    "when over budget": "when_full",
    "over_budget": "when_full",
    "at_60": "at_60",
    "at 60 %": "at_60",
    "at 60%": "at_60",
}


@dataclass(frozen=True)
class Limits:
    """In tokens: the whole window, what is kept free of it for the answer, and what a prompt may
    have. A `prompt` of None means that nothing is left out. `window` is 0 when it is not known."""

    window: int
    reserve: int
    prompt: int | None

    def tightened(self, most: int) -> Limits:
        """For the one retry after an engine found the prompt too long."""
        return replace(self, prompt=most)


def limits(max_context_tokens: object, max_output_tokens: object, loaded: int) -> Limits:
    """The limits that these settings mean for a model loaded with a context of `loaded` tokens.

    None is the loaded context, of which the answer gets half at most, so that a small window
    still holds a question; zero or less leaves nothing out; a number is taken as it stands, up
    to what is loaded. What is no whole number counts as not set."""
    output = _whole(max_output_tokens)
    reserve = output if output and output > 0 else MAX_OUTPUT_TOKENS
    asked = _whole(max_context_tokens)
    if asked is None:
        fair = min(reserve, loaded // 2)
        return Limits(loaded, fair, loaded - fair if loaded > 0 else None)
    if asked <= 0:
        return Limits(max(loaded, 0), reserve, None)
    window = min(asked, loaded) if loaded > 0 else asked
    return Limits(window, reserve, window - reserve)


def compacting(auto_compact: object) -> Compacting:
    """True and "true" (as other programs write it) mean: when the window is full."""
    if auto_compact is True:
        return "when_full"
    if not isinstance(auto_compact, str):
        return "off"
    return _MODES.get(auto_compact.strip().lower(), "off")


def _whole(value: object) -> int | None:
    if isinstance(value, str):
        text = value.strip()
        value = int(text) if text.removeprefix("-").isdecimal() and len(text) < 19 else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
