"""What every tool over the files of a conversation has in common.

Which files a call may see is said by its `Reach`, which the host makes; no argument of the model
can widen it, and arguments that a tool does not know are not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from webapp.chat.excerpts import Excerpt
from webapp.documents.board import FileState
from webapp.documents.document import describe, head_above
from webapp.documents.passages import Passage
from webapp.documents.retrieval import Search
from webapp.documents.scope import Scope
from webapp.documents.service import Documents
from webapp.errors import BadInput, StrataError

Arguments = Mapping[str, Any]

_LONGEST_TEXT: Final = 2000


@dataclass(frozen=True)
class Reach:
    """The files of `scopes`. The model has the text of those of `skipped` anyway: they are listed
    and not searched. `project` is the name of the project among the scopes."""

    documents: Documents
    scopes: tuple[Scope, ...]
    search: Search = field(default_factory=Search)
    skipped: frozenset[str] = frozenset()
    project: str = ""

    def files(self) -> Iterator[tuple[Scope, FileState]]:
        """All that are ready, oldest first."""
        for scope in self.scopes:
            for state in self.documents.status(scope):
                if state.is_ready:
                    yield scope, state

    def searched(self) -> list[FileState]:
        """Those whose passages can be found."""
        return [state for _, state in self.files() if state.id not in self.skipped]

    def origin(self, file_id: str) -> dict[str, str]:
        """The project that shares this file; nothing for a file of the thread."""
        scopes = (scope for scope, state in self.files() if state.id == file_id)
        scope = next(scopes, None) if self.project else None
        if scope is None or scope.kind != "project":
            return {}
        return {"project": self.project, "project_id": scope.id}


@dataclass(frozen=True)
class Outcome:
    """`text` is for the model: a JSON object. `trace` says how the passages were come by, and
    `problem` is the sentence that came instead of a result. `excerpts` are from no file."""

    text: str
    passages: tuple[Passage, ...] = ()
    trace: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""
    excerpts: tuple[Excerpt, ...] = ()


class Tool(Protocol):
    """One tool. Its schema says what a model may write, `run` is given no more than that."""

    name: str

    def schema(self, limit: int) -> dict[str, Any]:
        """The function as chat templates take it; `limit` passages are the most of a call."""

    def run(self, reach: Reach, arguments: Arguments) -> Outcome:
        """With arguments that fit the schema. StrataError when there is nothing to give."""


def function(
    name: str, description: str, properties: Mapping[str, Any], required: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A schema in the shape that chat templates and servers know."""
    parameters = {"type": "object", "properties": dict(properties), "required": list(required)}
    about = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": about}


def call(tool: Tool, reach: Reach, arguments: Arguments) -> Outcome:
    """Exactly one outcome, whatever the model wrote."""
    try:
        parameters = tool.schema(reach.search.limit)["function"]["parameters"]
        return tool.run(reach, checked(arguments, parameters))
    except StrataError as error:
        return failed(str(error))


def failed(sentence: str) -> Outcome:
    return Outcome(written({"error": sentence}), problem=sentence)


def checked(arguments: Arguments, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The known arguments in the types of the schema, numbers brought into their range. BadInput
    for one that is missing or is something else."""
    found: dict[str, Any] = {}
    for name, wanted in parameters["properties"].items():
        value = arguments.get(name)
        if value is not None:
            found[name] = _number(name, value, wanted) if _is_number(wanted) else _text(name, value)
        elif name in parameters["required"]:
            raise BadInput(f"The argument “{name}” is missing.", do="Call the tool again with it.")
    return found


def written(result: Mapping[str, Any]) -> str:
    return json.dumps(result, ensure_ascii=False)


def result(passage: Passage, **more: Any) -> dict[str, Any]:
    """A passage as the model reads it."""
    head = head_above(passage.places, passage.text)
    return {
        "id": passage.id,
        **({"columns": head} if head else {}),
        "text": passage.text.strip(),
        "file_id": passage.file_id,
        "file_name": passage.file_name,
        "place": describe(passage.places),
        "order": passage.order,
        **more,
    }


def _is_number(wanted: Mapping[str, Any]) -> bool:
    return wanted.get("type") == "integer"


def _number(name: str, value: object, wanted: Mapping[str, Any]) -> int:
    """Models write numbers as texts, too."""
    if isinstance(value, str) and len(value) < 20 and value.strip().lstrip("-").isdecimal():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(f"The argument “{name}” is not a whole number.", do="Call the tool again.")
    least, most = int(wanted.get("minimum", value)), int(wanted.get("maximum", value))
    return max(least, min(most, value))


def _text(name: str, value: object) -> str:
    """Models write texts that look like numbers as numbers, too: a year, for example."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise BadInput(
            f"The argument “{name}” is not a text.", do="Call the tool again with a text."
        )
    return value.strip()[:_LONGEST_TEXT]
