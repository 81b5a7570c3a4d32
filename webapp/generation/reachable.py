"""The files that belong to a thread: its own, and those that all threads of its project share."""

from __future__ import annotations

from webapp.documents.scope import Scope
from webapp.documents.service import Documents
from webapp.threads.library import ThreadLibrary
from webapp.threads.projects import Project


def scopes_of(
    documents: Documents, library: ThreadLibrary, thread_id: str
) -> tuple[tuple[Scope, ...], Project | None]:
    """Its own first, then those of the project, which is named too. NotFound without the
    thread."""
    own, project = documents.thread(thread_id), library.membership.of(thread_id)
    return ((own, documents.project(project.id)), project) if project else ((own,), None)
