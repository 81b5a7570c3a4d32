"""The tool that tells which files there are."""

from __future__ import annotations

from typing import Any

from webapp.documents.board import FileState
from webapp.documents.tools.tool import Arguments, Outcome, Reach, function, written


class ListAttachments:
    name = "list_attachments"

    def schema(self, limit: int) -> dict[str, Any]:  # noqa: ARG002
        return function(
            self.name,
            "List the files attached to this conversation, with their ids. "
            "It gives no text of them: use retrieve for that.",
            {},
        )

    def run(self, reach: Reach, arguments: Arguments) -> Outcome:  # noqa: ARG002
        return Outcome(written({"files": [_about(state) for _, state in reach.files()]}))


def _about(state: FileState) -> dict[str, Any]:
    about = {"file_id": state.id, "file_name": state.name, "title": state.facts.title}
    return {**about, "characters": state.facts.characters, "chunks": state.facts.chunks}
