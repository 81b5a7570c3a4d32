"""Whose files a page shows: those of a thread, or those that all threads of a project share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import url_for

from webapp.chat.messages import Thread
from webapp.documents.scope import Scope
from webapp.threads.projects import Project
from webapp.web.access import may_do
from webapp.web.allowed import READING, Allowed, in_project, in_thread
from webapp.web.services import services
from webapp.web.things import of_project


@dataclass(frozen=True)
class FileOwner:
    """`at` is the address of its files, `home` that of its own page. `project` shares the files,
    or is the one whose files the thread's questions search too. `can` is for who calls."""

    scope: Scope
    title: str
    at: str
    home: str
    thread: Thread | None = None
    project: Project | None = None
    can: Allowed = READING

    @property
    def is_project(self) -> bool:
        return self.scope.kind == "project"

    @property
    def searched(self) -> tuple[Scope, ...]:
        """Where a question is looked for that is asked here."""
        if self.project is None or self.is_project:
            return (self.scope,)
        return self.scope, services().documents.project(self.project.id)


def owner_of(whose: Mapping[str, str]) -> FileOwner:
    """By the id in an address: `thread_id` or `project_id`. NotFound when it is not there."""
    if "project_id" in whose:
        return project_owner(services().projects.project(whose["project_id"]))
    return thread_owner(services().library.thread(whose["thread_id"]))


def thread_owner(thread: Thread) -> FileOwner:
    scope = services().documents.thread(thread.id)
    at = url_for("documents.show", thread_id=thread.id)
    home = url_for("threads.show", thread_id=thread.id)
    project = services().library.membership.of(thread.id)
    if project is not None and not may_do("read", of_project(project)):
        project = None  # the thread was shared alone
    title = thread.title or "Untitled"
    return FileOwner(scope, title, at, home, thread, project, in_thread(thread.id))


def project_owner(project: Project) -> FileOwner:
    scope = services().documents.project(project.id)
    at = url_for("project_files.show", project_id=project.id)
    home = url_for("projects.show", project_id=project.id)
    can = in_project(project.id)
    return FileOwner(scope, project.name, at, home, project=project, can=can)
