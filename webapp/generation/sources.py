"""Files that fit stand whole with the question they were asked with, and are sent again in later
turns with it. Of all others passages are looked up anew each time (`lookup`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from webapp.chat.excerpts import Excerpt
from webapp.chat.messages import Message
from webapp.documents.board import FileState
from webapp.documents.service import Documents
from webapp.generation.reachable import scopes_of
from webapp.threads.library import ThreadLibrary

INLINED: Final = "inline_file_contents"
WAIT_SECONDS: Final = 1.0
_DOING: Final = {
    "uploading": "received",
    "waiting": "waiting for its turn",
    "reading": "read",
    "pictures": "read",
    "cutting": "cut into passages",
    "embedding": "embedded",
}


class Sources:
    """Of threads whose files are in `documents`."""

    def __init__(self, documents: Documents, library: ThreadLibrary) -> None:
        self._documents = documents
        self._library = library

    def settle(
        self, thread_id: str, tell: Callable[[str], None], given_up: Callable[[float], bool]
    ) -> None:
        """Wait until no file of the thread or its project is being read, or
        `given_up(seconds waited)`."""
        waited = 0.0
        for scope in scopes_of(self._documents, self._library, thread_id)[0]:
            now = self._documents.now(scope)
            while busy := [each for each in now.files if not each.is_over]:
                tell(_progress(busy[0]))
                if given_up(waited):
                    return
                now = self._documents.wait(scope, now.version, WAIT_SECONDS)
                waited += WAIT_SECONDS

    def inline(
        self,
        thread_id: str,
        path: Sequence[Message],
        free_tokens: int,
        count: Callable[[str], int],
    ) -> bool:
        """Put the files that fit into the newest question, once; whether any were."""
        question = next((each for each in reversed(path) if each.role == "user"), None)
        scope = self._documents.thread(thread_id)
        known = inlined_ids(path)
        new = [
            each.id
            for each in self._documents.status(scope)
            if each.is_ready and each.id not in known
        ]
        if question is None or not new:
            return False
        routes = self._documents.routes(scope, new, free_tokens, count)
        whole = [id for id, route in routes.items() if route == "inline"]
        if not whole:
            return False
        records = [
            {**record, "file_id": id}
            for id, record in zip(whole, self._documents.inlined(scope, whole), strict=True)
        ]
        kept = question.metadata.get(INLINED)
        held = kept if isinstance(kept, list) else []
        self._library.marks.keep(thread_id, question.id, {INLINED: [*held, *records]})
        return True


def whole_files(sent: Iterable[Message]) -> list[Excerpt]:
    """The files whose whole text stands in these messages; the text itself is kept there."""
    return [
        Excerpt(
            id=record["file_id"],
            file_id=record["file_id"],
            file=str(record.get("name", "")),
            end=len(str(record.get("content", ""))),
            whole=True,
        )
        for record in _inlined(sent)
    ]


def inlined_ids(path: Iterable[Message]) -> set[str]:
    """Ids of the files whose whole text stands on this path."""
    return {record["file_id"] for record in _inlined(path)}


def _inlined(path: Iterable[Message]) -> list[Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for message in path:
        kept = message.metadata.get(INLINED)
        for each in kept if isinstance(kept, list) else ():
            if isinstance(each, Mapping) and isinstance(each.get("file_id"), str):
                found.setdefault(each["file_id"], each)
    return list(found.values())


def _progress(file: FileState) -> str:
    share = f": {file.done:,} of {file.total:,}" if file.total else ""
    doing = _DOING.get(file.stage, "read")
    return f"{file.name} is {doing if file.stage == 'waiting' else f'being {doing}'}{share}."
