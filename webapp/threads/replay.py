"""What a log amounts to: its records played one after the other."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.chat.messages import Message
from webapp.chat.records import Append, Delete, Patch, Put, Record


class Replay:
    """Messages by id in the order in which their ids first came. A deleted message keeps its
    place, so that putting it back puts it there."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._states: dict[str, Message | None] = {}
        self._added: dict[str, list[str]] = {}
        for record in records:
            self.apply(record)

    def __contains__(self, message_id: str) -> bool:
        return self._states.get(message_id) is not None

    def get(self, message_id: str) -> Message | None:
        """The message as it is now; None when there is none, or none any more."""
        self._settle(message_id)
        return self._states.get(message_id)

    def messages(self) -> tuple[Message, ...]:
        self._settle_all()
        return tuple(message for message in self._states.values() if message is not None)

    def places(self) -> list[str]:
        """All ids that ever came, in order."""
        return list(self._states)

    def apply(self, record: Record) -> None:
        match record:
            case Put(message):
                self._put(message.id, message)
            case Append(message_id, text):
                self._append(message_id, text)
            case Patch(message_id, metadata):
                found = self.get(message_id)
                if found is not None:
                    self._states[message_id] = found.with_metadata(metadata)
            case Delete(message_id):
                self._put(message_id, None)

    def _put(self, message_id: str, message: Message | None) -> None:
        self._added.pop(message_id, None)
        if message is not None or message_id in self._states:
            self._states[message_id] = message

    def _append(self, message_id: str, text: str) -> None:
        """Kept aside until someone looks: thousands of appends cost one joining."""
        if message_id in self:
            self._added.setdefault(message_id, []).append(text)

    def _settle(self, message_id: str) -> None:
        added = self._added.pop(message_id, None)
        found = self._states.get(message_id)
        if added and found is not None:
            self._states[message_id] = found.with_appended("".join(added))

    def _settle_all(self) -> None:
        for message_id in list(self._added):
            self._settle(message_id)
