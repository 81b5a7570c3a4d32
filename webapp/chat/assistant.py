"""An assistant: what the model is told first, and how its answers are made.

A value wraps the JSON object it was read from, in Jan's shape, so that fields we do not know
survive. A thread keeps a snapshot of its assistant: an edit never changes how an old thread goes
on until a person says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from webapp.chat import assistant_migrations, parameters
from webapp.chat.messages import Thread
from webapp.chat.parameters import PARAMETERS
from webapp.chat.wording import clean
from webapp.errors import BadInput

LONGEST_NAME: Final = 80
LONGEST_ICON: Final = 16
LONGEST_INSTRUCTIONS: Final = 32_000
# A snapshot without any of these is but the model that another program keeps there.
_SAYING: Final = ("id", "assistant_id", "name", "assistant_name", "instructions", "parameters")


@dataclass(frozen=True)
class Assistant:
    """Treat `data` as frozen."""

    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Empty where a snapshot of another program has none."""
        found = self.data.get("id") or self.data.get("assistant_id")
        return found if isinstance(found, str) else ""

    @property
    def name(self) -> str:
        found = self.data.get("name") or self.data.get("assistant_name")
        return _one_line(found) if isinstance(found, str) else ""

    @property
    def icon(self) -> str:
        """An emoji or a short text; the first letter of the name where there is none."""
        found = self.data.get("avatar")
        icon = _one_line(found) if isinstance(found, str) else ""
        # Other programs keep the address of a picture here.
        usable = icon and len(icon) <= LONGEST_ICON and "/" not in icon
        return icon if usable else self.name[:1].upper()

    @property
    def instructions(self) -> str:
        """As written; nothing visible in it means that the model is told nothing."""
        found = self.data.get("instructions")
        return found if isinstance(found, str) else ""

    @property
    def parameters(self) -> Mapping[str, Any]:
        found = self.data.get("parameters")
        return found if isinstance(found, Mapping) else {}

    @property
    def revision(self) -> str:
        """Another one whenever anything that a form can change is another."""
        return hashlib.sha256(repr(self._told()).encode("utf-8", "backslashreplace")).hexdigest()

    def differs_in(self, other: Assistant) -> list[str]:
        """What a reader would notice, by label."""
        mine, others = self._told(), other._told()
        return [label for label in mine if mine[label] != others[label]]

    def with_fields(self, fields: Mapping[str, Any]) -> Assistant:
        """A copy with `fields` replaced. Parameters that no form knows stay."""
        unknown = {
            name: value
            for name, value in self.parameters.items()
            if name not in {each.name for each in PARAMETERS}
        }
        own = fields.get("parameters", {})
        return Assistant({**self.data, **fields, "parameters": {**unknown, **own}})

    def _told(self) -> dict[str, object]:
        chosen = {**parameters.usual(), **parameters.chosen(self.parameters)}
        told: dict[str, object] = {"Name": self.name, "Icon": self.icon}
        told["Instructions"] = self.instructions
        return told | {each.label: chosen.get(each.name) for each in PARAMETERS}


BUILT_IN: Final = Assistant(
    {
        "id": "strata",
        "object": "assistant",
        "name": "Strata",
        "avatar": "⛰",
        "instructions": assistant_migrations.V3_INSTRUCTIONS,
        "parameters": parameters.usual(),
    }
)


def checked(
    *, name: str, icon: str, instructions: str, typed: Mapping[str, str]
) -> dict[str, object]:
    """Fields as a person typed them, `typed` being the parameters. Raises BadInput."""
    numbers = {each.name: each.typed(typed.get(each.name, "")) for each in PARAMETERS}
    return {
        "name": _checked_line(name, "A name", LONGEST_NAME, needed=True),
        "avatar": _checked_line(icon, "An icon", LONGEST_ICON, needed=False),
        "instructions": checked_instructions(instructions),
        "parameters": {name: value for name, value in numbers.items() if value is not None},
    }


def checked_instructions(text: str) -> str:
    """Raises BadInput for more than the model should be told each time."""
    words = clean(text.replace("\r\n", "\n"))
    if len(words) > LONGEST_INSTRUCTIONS:
        raise BadInput(
            f"These instructions have {len(words):,} characters; "
            f"the most is {LONGEST_INSTRUCTIONS:,}.",
            do="Shorten them, or attach the rest as a file.",
        )
    return words


def of_thread(thread: Thread) -> Assistant | None:
    """The snapshot that a thread goes by, if it has one."""
    found = thread.data.get("assistants")
    first = found[0] if isinstance(found, list) and found else None
    if not isinstance(first, Mapping) or not any(name in first for name in _SAYING):
        return None
    return Assistant(first)


def with_assistant(thread: Thread, assistant: Assistant | None) -> Thread:
    """The thread with a snapshot of `assistant`, or with none. The model that other programs
    keep in the snapshot belongs to the thread and stays."""
    found = thread.data.get("assistants")
    before = found[0] if isinstance(found, list) and found else None
    model = before.get("model") if isinstance(before, Mapping) else None
    kept = {"model": model} if isinstance(model, Mapping) else {}
    snapshot = {**(assistant.data if assistant else {}), **kept}
    return thread.with_fields(assistants=[snapshot] if snapshot else [])


def _checked_line(text: str, what: str, most: int, *, needed: bool) -> str:
    line = _one_line(text)
    if needed and not line:
        raise BadInput(f"{what} needs at least one visible character.", do="Type one.")
    if len(line) > most:
        raise BadInput(f"{what} has {len(line):,} characters here.", do=f"Use up to {most}.")
    return line


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())
