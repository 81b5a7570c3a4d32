"""What an act on one message does to the others: a window has room again, or none any more."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.chat.window import Plan, State


@dataclass(frozen=True)
class Moved:
    """How many other messages are sent now that were not (`back`), and how many are `gone`."""

    back: int = 0
    gone: int = 0

    @property
    def words(self) -> str:
        """Sentences, empty when nothing moved."""
        back = {0: "", 1: "1 earlier message is sent again: there is room for it."}.get(
            self.back, f"{self.back:,} earlier messages are sent again: there is room for them."
        )
        gone = {0: "", 1: "1 other message is not sent any more: there is no room for it."}.get(
            self.gone,
            f"{self.gone:,} other messages are not sent any more: there is no room for them.",
        )
        return " ".join(filter(None, (back, gone)))


def moved(before: Plan, after: Plan, message_id: str) -> Moved:
    """Between two plans of one path, without the message that was acted on."""
    others = [id for id in after.states if id in before.states and id != message_id]
    changes = [(_is_sent(before.states[id]), _is_sent(after.states[id])) for id in others]
    return Moved(changes.count((False, True)), changes.count((True, False)))


def _is_sent(state: State) -> bool:
    return state in ("sent", "pinned")
