"""What was sent for an answer, kept with it without keeping every text twice.

A part that is one message of the thread, word for word, is kept as its id; anything else (the
instructions, a summary) as it was. A digest tells whether a message still says what was sent."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.chat.messages import Message
from webapp.chat.prompt import Part, said
from webapp.errors import StrataError


@dataclass(frozen=True)
class SentPart:
    """One turn as the model got it; `exact` is False when its message has changed since."""

    role: str
    content: str
    exact: bool = True


def record(parts: Sequence[Part], messages: Sequence[Message]) -> list[dict[str, str]]:
    """To be kept in the usage of the answer: in order, JSON alone."""
    whole = {part: message.id for message in messages for part in _alone(message)}
    return [_kept(part, whole.get(part, "")) for part in parts]


def read(kept: object, message: Callable[[str], Message]) -> list[SentPart]:
    """The parts of a record, in order; nothing for what is none. `message` may raise NotFound."""
    found = kept if isinstance(kept, list) else []
    return [part for each in found if isinstance(each, Mapping) and (part := _read(each, message))]


def _kept(part: Part, message_id: str) -> dict[str, str]:
    role, content = part
    if message_id:
        return {"role": role, "message": message_id, "digest": _digest(content)}
    return {"role": role, "text": content}


def _read(kept: Mapping[str, Any], message: Callable[[str], Message]) -> SentPart | None:
    role = str(kept.get("role", ""))
    if isinstance(text := kept.get("text"), str):
        return SentPart(role, text)
    try:
        contents = [part[1] for part in _alone(message(str(kept.get("message", ""))))]
    except StrataError:
        return SentPart(role, "This message was deleted since.", exact=False)
    content = contents[0] if contents else ""
    return SentPart(role, content, _digest(content) == kept.get("digest"))


def _alone(message: Message) -> list[Part]:
    """What a message puts into a request by itself, if that is one part."""
    parts = said(message, ())
    return parts if len(parts) == 1 else []


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]
