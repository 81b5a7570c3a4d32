"""Which thread is in which project. The link stands in the thread (`metadata.project`); one that
leads to no project is no link, so that a deleted project takes nothing else with it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from webapp.chat.messages import Thread
from webapp.errors import Damaged, StrataError
from webapp.threads.desk import Desk
from webapp.threads.projects import LINK, Project, Projects, project_id_of


class Membership:
    """Without `projects` no thread is in one. `reaches` says whether a thread may use what a
    project gives; as long as it may not, it is treated as if it were in none."""

    def __init__(self, desk: Desk, projects: Projects | None) -> None:
        self._desk = desk
        self._projects = projects
        self.reaches: Callable[[Thread, Project], bool] = lambda _thread, _project: True

    def of(self, thread_id: str) -> Project | None:
        """The project of a thread, if it is there, can be read, and serves it. Raises NotFound for
        a thread that is not there."""
        with self._desk.held(thread_id) as opened:
            thread = opened.thread
        wanted = project_id_of(thread)
        if wanted is None or self._projects is None:
            return None
        with suppress(StrataError):
            project = self._projects.project(wanted)
            return project if self.reaches(thread, project) else None
        return None

    def threads(self, project_id: str) -> list[Thread]:
        """Those in it, newest first."""
        rows = self._desk.store.list_threads()
        return [row for row in rows if isinstance(row, Thread) and project_id_of(row) == project_id]

    def move(self, thread_id: str, project: Project | None) -> Thread:
        """Into a project, or out of the one it is in; an act that can be undone. Its place in
        the list stays. Raises Damaged for a thread whose own fields cannot be read."""
        with self._desk.held(thread_id) as opened:
            if opened.damaged:
                raise Damaged(
                    "The fields of this thread are damaged.",
                    do="Mend its thread.json first, for example with `strata doctor --repair`.",
                )
            if project_id_of(opened.thread) != (project.id if project else None):
                where = f"into the project “{project.name}”" if project else "out of its project"
                linked = _linked(opened.thread, project)
                self._desk.save_thread(opened, linked, what=f"Moved {where}")
            return opened.thread

    def disband(self, project_id: str) -> int:
        """Take all threads out of a project that was deleted; how many were in it. A link that the
        disk does not let go leads nowhere from now on."""
        left = self.threads(project_id)
        for thread in left:
            with suppress(StrataError):
                self.move(thread.id, None)
        return len(left)


def _linked(thread: Thread, project: Project | None) -> Thread:
    if project is None:
        return thread.without_metadata(LINK)
    return thread.with_metadata({LINK: {"id": project.id}})
