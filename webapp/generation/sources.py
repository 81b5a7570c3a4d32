"""What a thread's files add to an answer: the whole text of those that fit, with the question they
were asked with; of all others the passages that answer it.

The whole text stays with its question, so it is sent again in later turns; passages are looked for
anew each time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webapp.chat.messages import Message
from webapp.documents.board import FileState
from webapp.documents.document import describe
from webapp.documents.passages import Passage
from webapp.documents.service import Documents
from webapp.errors import StrataError
from webapp.threads.library import ThreadLibrary

log = logging.getLogger(__name__)

INLINED: Final = "inline_file_contents"
HEADING: Final = "Passages from the attached files that may help with the question that follows:"
WAIT_SECONDS: Final = 1.0
_DOING: Final = {
    "uploading": "received",
    "waiting": "waiting for its turn",
    "reading": "read",
    "pictures": "read",
    "cutting": "cut into passages",
    "embedding": "embedded",
}


@dataclass(frozen=True)
class Retrieved:
    """`text` is put before the question; `facts` are kept with the answer."""

    text: str = ""
    facts: tuple[dict[str, Any], ...] = ()


class Sources:
    """Of threads whose files are in `documents`."""

    def __init__(self, documents: Documents, library: ThreadLibrary) -> None:
        self._documents = documents
        self._library = library

    def settle(
        self, thread_id: str, tell: Callable[[str], None], given_up: Callable[[float], bool]
    ) -> None:
        """Wait until no file of the thread is being read, or `given_up(seconds waited)`."""
        scope, waited = self._documents.thread(thread_id), 0.0
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

    def retrieve(self, thread_id: str, path: Sequence[Message]) -> Retrieved:
        """Passages for the newest question, of files that are not on the path as a whole. A
        search that fails leaves the answer without them."""
        question = next((each.text for each in reversed(path) if each.role == "user"), "")
        known, scope = inlined_ids(path), self._documents.thread(thread_id)
        try:
            others = [each for each in self._documents.status(scope) if each.id not in known]
            if not question.strip() or not any(each.is_ready for each in others):
                return Retrieved()
            found = self._documents.search([scope], question).passages
        except StrataError as error:
            log.warning("no passages for a question in %s: %s", thread_id, error)
            return Retrieved()
        passages = [each for each in found if each.file_id not in known]
        if not passages:
            return Retrieved()
        text = "\n\n".join([HEADING, *map(_shown, passages)])
        return Retrieved(text, tuple(map(_facts, passages)))


def inlined_ids(path: Sequence[Message]) -> set[str]:
    """Ids of the files whose whole text stands on this path."""
    found: set[str] = set()
    for message in path:
        kept = message.metadata.get(INLINED)
        for each in kept if isinstance(kept, list) else ():
            if isinstance(each, dict) and isinstance(each.get("file_id"), str):
                found.add(each["file_id"])
    return found


def _shown(passage: Passage) -> str:
    return f"[{_place(passage)}]\n{passage.text.strip()}"


def _place(passage: Passage) -> str:
    return ", ".join(filter(None, [passage.file_name, describe(passage.places)]))


def _facts(passage: Passage) -> dict[str, Any]:
    return {
        "id": passage.id,
        "file_id": passage.file_id,
        "file": passage.file_name,
        "place": describe(passage.places),
        "order": passage.order,
        "score": round(passage.score, 4),
        "by": passage.by,
    }


def _progress(file: FileState) -> str:
    share = f": {file.done:,} of {file.total:,}" if file.total else ""
    doing = _DOING.get(file.stage, "read")
    return f"{file.name} is {doing if file.stage == 'waiting' else f'being {doing}'}{share}."
