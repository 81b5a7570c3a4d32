"""What things cost in tokens: by the spec's estimate, or as an engine counts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from webapp.chat.estimate import TOKENS_PER_MESSAGE, estimate, estimated
from webapp.chat.facts import Facts, KnownFacts
from webapp.chat.groups import Group
from webapp.chat.messages import Message
from webapp.chat.prompt import Part

Count = Callable[[Sequence[Part]], int]

_PROBE: Final = "x"


@dataclass(frozen=True)
class Cost:
    """Tokens of a group: `words` with the frame of its turns, its inlined `files`, and both."""

    words: int
    files: int
    whole: int


class Scales:
    """Weighs with one tokenizer and remembers: each text is counted once, whatever thread or
    branch it stands in. Make one per model and set of tools, and keep it.

    `count` gives the tokens of a whole request through the chat template, its tools included, of
    which `tools` are for the tools; without it all is estimated. It is called once per text that
    a plan reaches for the first time and three times at the beginning; `plan` adds one call for
    each finished request."""

    def __init__(self, count: Count | None = None, *, tools: int = 0) -> None:
        self._counts = count is not None
        self._count = count or estimated
        self.tools = tools
        self._facts = KnownFacts()
        self._texts: dict[tuple[str, str], int] = {}
        self._costs: dict[Facts, Cost] = {}
        self._frame: tuple[int, int] | None = None

    def facts(self, path: Sequence[Message]) -> list[Facts]:
        return self._facts.of(path)

    def exact(self, parts: Sequence[Part]) -> int | None:
        """Tokens of a finished request; None when there is nothing to count with."""
        return self._count(parts) if self._counts else None

    @property
    def frame(self) -> int:
        """What every request costs whatever is said, tools included."""
        return self._frames()[0] if self._counts else self.tools

    @property
    def turn(self) -> int:
        """What a turn costs for its role."""
        return self._frames()[1] if self._counts else TOKENS_PER_MESSAGE

    def text(self, text: str) -> int:
        """Tokens of a text inside a turn."""
        return max(self._part(text) - self.turn, 0) if text else 0

    def lead(self, text: str) -> int:
        """Tokens of the system part."""
        if not self._counts:
            return estimate(text) + TOKENS_PER_MESSAGE
        if not text.strip():
            return 0
        return self._remembered("system", text, [("system", text), ("user", _PROBE)])

    def cost(self, group: Group) -> Cost:
        if len(group.members) > 1:
            return self._sum(group)
        alone = group.members[0]
        found = self._costs.get(alone)
        if found is None:
            found = self._costs[alone] = self._sum(group)
            if len(self._costs) > 400_000:
                self._costs = {}
        return found

    def _sum(self, group: Group) -> Cost:
        files = sum(self.text(member.files) for member in group.members)
        if not self._counts:
            whole = sum(member.estimate for member in group.members)
        else:
            whole = sum(self._part(text) for _, text in group.parts)
        return Cost(max(whole - files, 0), min(files, whole), whole)

    def _part(self, text: str) -> int:
        if not self._counts:
            return estimate(text) + TOKENS_PER_MESSAGE
        # As a user's turn: a template may refuse a request that is an answer or a result alone.
        more = self._remembered("user", text, [("user", text)])
        return max(more + self.turn, 0)

    def _remembered(self, role: str, text: str, request: list[Part]) -> int:
        """Tokens that `text` adds to the probe."""
        known = self._texts.get((role, text))
        if known is None:
            known = self._count(request) - self.frame - self.turn
            if len(self._texts) > 100_000:
                self._texts = {}
            self._texts[role, text] = known
        return max(known, 0) if role == "system" else known

    def _frames(self) -> tuple[int, int]:
        """(frame of a request, frame of a turn with the probe in it)."""
        if self._frame is None:
            one = self._count([("user", _PROBE)])
            three = self._count([("user", _PROBE), ("assistant", _PROBE), ("user", _PROBE)])
            turn = max(-(-(three - one) // 2), 1)
            self._frame = (max(one - turn, 0), turn)
        return self._frame
