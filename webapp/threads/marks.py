"""What a person wants of a message in the window: pinned or muted; and notes in its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from webapp.chat.messages import Message
from webapp.chat.records import Patch
from webapp.threads.desk import Desk

PINNED: Final = "pinned"
MUTED: Final = "muted"


class Marks:
    """Each is one patch (an act that can be undone, where it has a sentence). Every method raises
    NotFound for a thread or message that is not there."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def pin(self, thread_id: str, message_id: str, *, on: bool) -> Message:
        """A pinned message is sent wherever the window begins; it cannot be muted too."""
        what = "Pinned a message" if on else "Unpinned a message"
        return self._mark(thread_id, message_id, {PINNED: on or None, MUTED: None}, what)

    def mute(self, thread_id: str, message_id: str, *, on: bool) -> Message:
        """A muted message is never sent; it cannot be pinned too."""
        what = "Muted a message" if on else "Unmuted a message"
        return self._mark(thread_id, message_id, {MUTED: on or None, PINNED: None}, what)

    def keep(
        self, thread_id: str, message_id: str, facts: Mapping[str, Any], *, what: str = ""
    ) -> Message:
        """Facts that belong to a message: a summary that ends there, or that none could be made."""
        return self._mark(thread_id, message_id, facts, what)

    def _mark(
        self, thread_id: str, message_id: str, facts: Mapping[str, Any], what: str
    ) -> Message:
        with self._desk.held(thread_id) as opened:
            known = opened.tree.message(message_id).metadata
            changed = {key: value for key, value in facts.items() if known.get(key) != value}
            if changed:
                self._desk.write(opened, (Patch(message_id, changed),), what=what)
            return opened.tree.message(message_id)
