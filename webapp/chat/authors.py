"""Who speaks in a message, in a reader's words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from webapp.chat.messages import Message, is_id

_NAMES: Final = {"user": "You", "system": "Instructions", "tool": "Tool"}

ASKED_BY: Final = "askedBy"


def noted(person: str) -> dict[str, Any]:
    """The metadata that says who asked; none for nobody in particular."""
    return {ASKED_BY: person} if person else {}


def asked_by(message: Message) -> str:
    """A person's id, or empty. Messages come from other programs too."""
    found = message.metadata.get(ASKED_BY)
    return found if isinstance(found, str) and is_id(found) else ""


def unsigned(message: Message) -> Message:
    """Without who asked: a person's id holds only in the house it is of."""
    return message.without_metadata(ASKED_BY) if ASKED_BY in message.metadata else message


def author(message: Message) -> str:
    """You, the model's name as far as it is known, or what kind of part it is."""
    if message.role != "assistant":
        return _NAMES.get(message.role, message.role or "Unknown")
    usage = message.metadata.get("usage")
    return model_name(usage.get("model") if isinstance(usage, Mapping) else None)


def model_name(model: object) -> str:
    """Of a model's file or address its last part; “Answer” when nothing is known."""
    name = re.split(r"[/\\]", model)[-1].removesuffix(".gguf") if isinstance(model, str) else ""
    return name or "Answer"
