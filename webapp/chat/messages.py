"""Values of a conversation: messages and threads, in the shape they have on disk.

Both wrap the JSON object they were read from, so that fields we do not know survive every
operation. Treat `data` as frozen: every change makes a new value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

Role = Literal["user", "assistant", "system", "tool"]
Status = Literal["ready", "pending", "stopped", "error"]

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Absent:
    """The type of `ABSENT`: a parent that was never written (a legacy message)."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()


def is_id(text: object) -> bool:
    """True for ids that may meet a path or a URL: 1 to 64 of `A-Z a-z 0-9 _ -`."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


@dataclass(frozen=True)
class Message:
    """One message in Jan's shape (`object: thread.message`). Times are milliseconds since 1970."""

    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.data["id"])

    @property
    def thread_id(self) -> str:
        return str(self.data.get("thread_id", ""))

    @property
    def role(self) -> str:
        return str(self.data["role"])

    @property
    def text(self) -> str:
        """All text parts joined by an empty line; other parts (images, calls) are not text."""
        content = self.data.get("content")
        if isinstance(content, str):
            return content
        return "\n\n".join(_part_texts(content))

    @property
    def status(self) -> str:
        return str(self.data.get("status", "ready"))

    @property
    def created_at(self) -> float:
        return _number(self.data.get("created_at"))

    @cached_property  # asked for more often than all else
    def metadata(self) -> Mapping[str, Any]:
        value = self.data.get("metadata")
        return value if isinstance(value, Mapping) else {}

    @property
    def parent_id(self) -> str | Absent | None:
        """A parent's id, None for an explicit root, `ABSENT` for a message never branched."""
        value = self.metadata.get("parentId", ABSENT)
        return value if isinstance(value, (str, Absent)) else None

    @property
    def active_child_id(self) -> str | None:
        value = self.metadata.get("activeChildId")
        return value if isinstance(value, str) else None

    @property
    def error(self) -> str | None:
        """The sentence shown when this answer failed."""
        value = self.metadata.get("error")
        return value if isinstance(value, str) else None

    def with_metadata(self, changes: Mapping[str, Any]) -> Message:
        """A copy whose metadata has `changes` merged in; a value of None is kept as null."""
        return Message({**self.data, "metadata": {**self.metadata, **changes}})

    def without_metadata(self, *keys: str) -> Message:
        left = {key: value for key, value in self.metadata.items() if key not in keys}
        return Message({**self.data, "metadata": left})

    def with_text(self, text: str) -> Message:
        """A copy with `text` as its first text part; parts that are not text are kept."""
        content = self.data.get("content")
        parts = list(content) if isinstance(content, list) else []
        kept = [part for part in parts if not _is_text(part)]
        first = next((part for part in parts if _is_text(part)), {"type": "text"})
        value = {**_text_body(first), "value": text}
        value.setdefault("annotations", [])
        return Message({**self.data, "content": [{**first, "text": value}, *kept]})

    def with_appended(self, more: str) -> Message:
        """A copy whose first text part is extended by `more`."""
        content = self.data.get("content")
        if isinstance(content, str):
            return self.with_text(content + more)
        parts = content if isinstance(content, list) else []
        first = next((part for part in parts if _is_text(part)), None)
        value = _text_body(first).get("value")
        return self.with_text((value if isinstance(value, str) else "") + more)

    def with_fields(self, **changes: Any) -> Message:
        """A copy with top-level fields replaced, for example `status` or `completed_at`."""
        return Message({**self.data, **changes})


def new_message(
    *,
    id: str,
    thread_id: str,
    role: Role,
    text: str,
    created_at: int,
    status: Status = "ready",
    metadata: Mapping[str, Any] | None = None,
) -> Message:
    """A message in Jan's shape; `created_at` in milliseconds since 1970."""
    data: dict[str, Any] = {
        "id": id,
        "object": "thread.message",
        "thread_id": thread_id,
        "role": role,
        "content": [{"type": "text", "text": {"value": text, "annotations": []}}],
        "status": status,
        "created_at": created_at,
        "completed_at": created_at,
        "metadata": dict(metadata or {}),
    }
    return Message(data)


@dataclass(frozen=True)
class Thread:
    """One thread in Jan's shape (`thread.json`). `created` and `updated` are seconds since 1970."""

    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.data["id"])

    @property
    def title(self) -> str:
        value = self.data.get("title")
        return value if isinstance(value, str) else ""

    @property
    def created(self) -> float:
        return _number(self.data.get("created"))

    @property
    def updated(self) -> float:
        return _number(self.data.get("updated")) or self.created

    @property
    def metadata(self) -> Mapping[str, Any]:
        value = self.data.get("metadata")
        return value if isinstance(value, Mapping) else {}

    @property
    def active_root_id(self) -> str | None:
        value = self.metadata.get("activeRootId")
        return value if isinstance(value, str) else None

    def with_metadata(self, changes: Mapping[str, Any]) -> Thread:
        return Thread({**self.data, "metadata": {**self.metadata, **changes}})

    def without_metadata(self, *keys: str) -> Thread:
        left = {key: value for key, value in self.metadata.items() if key not in keys}
        return Thread({**self.data, "metadata": left})

    def with_fields(self, **changes: Any) -> Thread:
        return Thread({**self.data, **changes})


def new_thread(*, id: str, title: str, created: float) -> Thread:
    """A thread in Jan's shape; `created` in seconds since 1970."""
    data = {
        "id": id,
        "object": "thread",
        "title": title,
        "created": created,
        "updated": created,
        "assistants": [],
        "metadata": {},
    }
    return Thread(data)


def _number(value: object) -> float:
    """A finite number, or 0: thread files come from other programs too."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    try:
        return float(value) if math.isfinite(value) else 0.0
    except OverflowError:
        return 0.0


def _is_text(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "text"


def _text_body(part: object) -> dict[str, Any]:
    body = part.get("text") if isinstance(part, Mapping) else None
    if isinstance(body, Mapping):
        return dict(body)
    return {"value": body} if isinstance(body, str) else {}


def _part_texts(content: object) -> list[str]:
    if not isinstance(content, list):
        return []
    found = (_text_body(part).get("value") for part in content if _is_text(part))
    return [value for value in found if isinstance(value, str) and value]
