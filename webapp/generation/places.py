"""Where in its file a part of an excerpt stands: an excerpt may reach over pages, of which the
words that support a sentence are on one."""

from __future__ import annotations

from webapp.chat.excerpts import Excerpt
from webapp.documents.document import Document, describe
from webapp.documents.service import Documents
from webapp.errors import StrataError


class Places:
    """In the files that a thread sees; each is read once."""

    def __init__(self, documents: Documents, thread_id: str) -> None:
        self._documents = documents
        self._thread_id = thread_id
        self._read: dict[tuple[str, str], Document | None] = {}

    def of(self, excerpt: Excerpt, part: tuple[int, int]) -> str:
        """In a reader's words, of that part of its text; empty where its file does not say it (any
        more)."""
        document = self._document(excerpt) if excerpt.file_id and excerpt.is_placed else None
        if document is None or document.text[excerpt.start : excerpt.end] != excerpt.text:
            return ""
        first, last = part
        return describe(document.within(excerpt.start + first, excerpt.start + last))

    def _document(self, excerpt: Excerpt) -> Document | None:
        key = excerpt.project_id, excerpt.file_id
        if key not in self._read:
            self._read[key] = self._opened(*key)
        return self._read[key]

    def _opened(self, project_id: str, file_id: str) -> Document | None:
        documents = self._documents
        try:
            scope = documents.project(project_id) if project_id else None
            return documents.text(scope or documents.thread(self._thread_id), file_id)
        except StrataError:
            return None
