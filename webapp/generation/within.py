"""What the calls of one answer may see: files, and what was said in earlier threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webapp.documents.tools import TOOLS
from webapp.documents.tools.tool import Outcome, Reach, call, failed
from webapp.generation import recall
from webapp.generation.recall import Past


@dataclass(frozen=True)
class Within:
    """None for what is not there, or may not be looked at."""

    files: Reach | None = None
    past: Past | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Of the tools that can be called."""
        files = tuple(TOOLS) if self.files else ()
        return (*files, recall.NAME) if self.past else files

    def schemas(self, limit: int) -> tuple[dict[str, Any], ...]:
        """The tools as a model is given them; `limit` passages of files are the most of a call."""
        files = tuple(tool.schema(limit) for tool in TOOLS.values()) if self.files else ()
        return (*files, recall.schema()) if self.past else files

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Outcome:
        """Exactly one outcome, whatever the model wrote."""
        if tool == recall.NAME and self.past:
            return self.past.call(arguments)
        if tool in TOOLS and self.files:
            return call(TOOLS[tool], self.files, arguments)
        return failed(f"No tool {tool}.")
