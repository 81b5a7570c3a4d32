"""What is known of an uploaded file: the content of its `about.json`.

Pure. Fields written by a later version are kept as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal, get_args

from webapp.documents.routing import Use
from webapp.errors import StrataError, Unreadable

# "received": only the file is there; "read": its text too; "ready": its passages can be found;
# "rejected": it is no document; "stopped": what was begun did not end, and can be tried again;
# "damaged": what was known of it is lost, the file itself may be there.
Kept = Literal["received", "read", "ready", "rejected", "stopped", "damaged"]

_STAGES: Final = get_args(Kept)
_USES: Final = get_args(Use)


@dataclass(frozen=True)
class Problem:
    """Two sentences for a person, and a word for programs."""

    what: str
    do: str = ""
    code: str = ""

    def __str__(self) -> str:
        return f"{self.what} {self.do}".strip()


@dataclass(frozen=True)
class FileFacts:
    """`name` is shown, and unlike all others of its scope. `sha256` is of the file's bytes,
    `text_sha256` of its text. `use` is a person's choice for this file, if they made one.
    `interruptions` counts ends of the server while it was being worked on."""

    id: str
    name: str
    size: int = 0
    sha256: str = ""
    added_ms: int = 0
    stage: Kept = "received"
    problem: Problem | None = None
    use: Use | None = None
    interruptions: int = 0
    title: str = ""
    characters: int = 0
    chunks: int = 0
    text_sha256: str = ""
    notes: tuple[str, ...] = ()
    details: tuple[tuple[str, str], ...] = ()
    unknown: Mapping[str, Any] = field(default_factory=dict)

    def at(self, stage: Kept, **changes: Any) -> FileFacts:
        """Another stage; a problem it had is over unless a new one is given."""
        return replace(self, stage=stage, **{"problem": None, **changes})


def problem_of(error: StrataError, code: str = "") -> Problem:
    return Problem(error.what, error.do, error.code if isinstance(error, Unreadable) else code)


def to_json(facts: FileFacts) -> dict[str, Any]:
    known = {each.name: getattr(facts, each.name) for each in fields(facts)}
    del known["unknown"]
    problem = vars(facts.problem) if facts.problem else None
    return {**facts.unknown, **known, "problem": problem}


def from_json(file_id: str, data: Any) -> FileFacts:
    """ValueError for what `to_json` cannot have written. The folder's name is the id, whatever
    the file says."""
    if not isinstance(data, dict):
        raise ValueError("no facts of a file")  # noqa: TRY004 - damage, not a fault of the caller
    names = {each.name for each in fields(FileFacts)}
    own = {name: data[name] for name in names - {"id", "unknown"} if name in data}
    own["unknown"] = {name: value for name, value in data.items() if name not in names}
    try:
        facts = FileFacts(**{**own, **_values(own), "id": file_id})
    except TypeError as error:
        raise ValueError(str(error)) from error
    if not _is_sound(facts):
        raise ValueError("facts of another kind")
    return facts


def _values(own: Mapping[str, Any]) -> dict[str, Any]:
    problem = own.get("problem")
    return {
        "problem": Problem(**problem) if problem else None,
        "notes": tuple(own.get("notes", ())),
        "details": tuple((name, value) for name, value in own.get("details", ())),
    }


def _is_sound(facts: FileFacts) -> bool:
    for each in fields(facts):
        value, kind = getattr(facts, each.name), type(each.default)
        if kind is int and (type(value) is not int or value < 0):
            return False
        if (kind is str or each.name == "name") and not isinstance(value, str):
            return False
    problem = vars(facts.problem).values() if facts.problem else ()
    words = (*problem, *facts.notes, *(word for pair in facts.details for word in pair))
    known = facts.stage in _STAGES and (facts.use is None or facts.use in _USES)
    return bool(facts.name) and known and all(isinstance(word, str) for word in words)
