"""When an engine says that a prompt is too long for it: by how much, and what to try once more.

Every engine says it in words of its own; the numbers in them give the smaller budget.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from webapp.chat.limits import Limits

_CODES: Final = re.compile(
    r"context_length_exceeded|exceed_context_size|model_max_prompt_tokens_exceeded", re.IGNORECASE
)
_NUMBER: Final = r"(\d[\d,._ ]{0,18}\d|\d)"
# Group 1 is what the model holds or, where the pattern says so, what was asked.
_HOLDS: Final = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"model's context holds {_NUMBER}",
        rf"maximum context length (?:is|of) {_NUMBER}",
        rf"maximum model length (?:is|of) {_NUMBER}",
        rf"{_NUMBER} maximum context length",
        rf"exceed(?:s)? (?:the )?context (?:window|length|size) of {_NUMBER}",
        rf"available context size \({_NUMBER}",
        rf"context (?:length|size|window) of (?:only )?{_NUMBER} tokens",
        rf"tokens > {_NUMBER} maximum",
        rf"maximum number of tokens allowed \({_NUMBER}",
        rf"max_new_tokens`? must be <= {_NUMBER}",
        rf"['\"]n_ctx['\"]\s*:\s*{_NUMBER}",
    )
]
_ASKED: Final = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"conversation has {_NUMBER} tokens",
        rf"{_NUMBER} in the messages",
        rf"messages resulted in {_NUMBER} tokens",
        rf"{_NUMBER} input tokens|your prompt contains (?:at least )?{_NUMBER}",
        rf"request \({_NUMBER} tokens\)",
        rf"prompt is too long: {_NUMBER} tokens",
        rf"input token count \({_NUMBER}\)",
        rf"prompt \((?:total )?length {_NUMBER}\)",
        rf"['\"]n_prompt_tokens['\"]\s*:\s*{_NUMBER}",
        rf"(?:requested|requests?) (?:tokens )?\(?{_NUMBER}",
    )
]
_VAGUE: Final = re.compile(
    r"exceeds? (?:the )?(?:available )?(?:context|model's context)"
    r"|prompt is too long|input (?:is )?too long|too many tokens"
    r"|longer than the (?:model's )?(?:maximum )?context"
    r"|context (?:length|window|size) (?:was |is )?exceeded",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Overflow:
    """In tokens as the engine counts them; 0 where it does not say."""

    asked: int = 0
    holds: int = 0


def overflow(said: str) -> Overflow | None:
    """What an engine's error says about a prompt that is too long; None for any other error."""
    text = said[:20_000]
    holds = _first(_HOLDS, text)
    if not holds and not _CODES.search(text) and not _VAGUE.search(text):
        return None
    return Overflow(_first(_ASKED, text), holds)


def after_overflow(limits: Limits, found: Overflow, counted: int) -> Limits:
    """Limits for the one retry of a prompt that was counted as `counted` tokens: always smaller.

    Where our count and the engine's differ, the new budget is put in tokens as we count them."""
    room = found.holds - limits.reserve if found.holds > limits.reserve else found.holds // 2
    scale = counted / found.asked if found.asked > counted > 0 else 1.0
    wanted = int(room * scale * 0.95) if room > 0 else counted
    return limits.tightened(max(min(wanted, int(counted * 0.7), (limits.prompt or counted) - 1), 0))


def _first(patterns: list[re.Pattern[str]], text: str) -> int:
    for pattern in patterns:
        if found := pattern.search(text):
            digits = re.sub(r"\D", "", next(filter(None, found.groups())))
            return int(digits[:12])
    return 0
