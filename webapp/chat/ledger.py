"""Where every token of the window goes: one value, drawn by the page, read out on demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

WARN_ABOVE: Final = 0.85


@dataclass(frozen=True)
class Ledger:
    """In tokens. `system` has the instructions and the template's own frame; `reserve` is kept
    free for the answer; `window` is 0 when the model's context is not known."""

    window: int
    system: int = 0
    tools: int = 0
    pinned: int = 0
    summary: int = 0
    history: int = 0
    inlined: int = 0
    retrieved: int = 0
    draft: int = 0
    reserve: int = 0

    @property
    def used(self) -> int:
        """What the prompt costs; the reserve is no part of it."""
        return sum(tokens for _, tokens in self.rows()[:8])

    @property
    def free(self) -> int:
        return max(self.window - self.used - self.reserve, 0)

    @property
    def over(self) -> int:
        """How many tokens the prompt and its reserve pass the window by."""
        return max(self.used + self.reserve - self.window, 0) if self.window else 0

    @property
    def warns(self) -> bool:
        """Little room is left: the prompt fills 85 % of what it may have."""
        room = self.window - self.reserve
        return bool(self.window) and self.used > room * WARN_ABOVE

    def rows(self) -> tuple[tuple[str, int], ...]:
        """(name, tokens) in the order of the bar, `reserve` and `free` last. The tokens of all
        rows add up to the window unless something is over."""
        prompt = (
            ("system", self.system),
            ("tools", self.tools),
            ("pinned", self.pinned),
            ("summary", self.summary),
            ("history", self.history),
            ("inlined", self.inlined),
            ("retrieved", self.retrieved),
            ("draft", self.draft),
        )
        spent = sum(tokens for _, tokens in prompt) + self.reserve
        return (*prompt, ("reserve", self.reserve), ("free", max(self.window - spent, 0)))

    def share(self, tokens: int) -> float:
        """Of the window, 0 to 1; of what is spent, when that is more or the window is unknown."""
        whole = max(self.window, self.used + self.reserve, 1)
        return min(tokens / whole, 1.0)
