"""Whose files: those of one thread, or those that all threads of a project share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from webapp import durable
from webapp.chat.messages import is_id
from webapp.documents.passages import project_table, thread_table
from webapp.errors import NotFound

Kind = Literal["thread", "project"]

FILES: Final = "files"
_TRASHED: Final = re.compile(r"\d+\.(.+)")  # as the threads name what is in the trash
_FOLDERS: Final[dict[Kind, str]] = {"thread": "threads", "project": "projects"}


@dataclass(frozen=True)
class Scope:
    """`folder` has a folder for each file; `table` is where their passages are, and its name is
    that of no other scope."""

    kind: Kind
    id: str
    folder: Path
    table: str


def thread_scope(data: Path, thread_id: str) -> Scope:
    """NotFound for what is no id."""
    _refuse_no_id(thread_id)
    table = thread_table(thread_id)
    return Scope("thread", thread_id, data / "threads" / thread_id / FILES, table)


def project_scope(data: Path, project_id: str) -> Scope:
    """NotFound for what is no id."""
    _refuse_no_id(project_id)
    table = project_table(project_id)
    return Scope("project", project_id, data / "projects" / project_id / FILES, table)


def scopes_with_files(data: Path) -> Iterator[Scope]:
    """All that have a folder for files, those in the trash aside. StorageFailed when the data
    directory cannot be read."""
    for make, kind in ((thread_scope, "thread"), (project_scope, "project")):
        parent = data / _FOLDERS["thread" if kind == "thread" else "project"]
        with durable.reading(parent):
            names = [each.name for each in parent.iterdir()] if parent.is_dir() else []
        for name in sorted(filter(is_id, names)):
            with suppress(OSError):
                scope = make(data, name)
                if scope.folder.is_dir():
                    yield scope


def scope_of_table(data: Path, table: str) -> Scope | None:
    """Whose table that is; None for the name of something else."""
    for prefix, make in (("attachments_", thread_scope), ("project_", project_scope)):
        if table.startswith(prefix) and is_id(id := table.removeprefix(prefix)):
            return make(data, id)
    return None


def owner(table: str, file_id: str) -> str:
    """Whose the vectors of a file are."""
    return f"{table}/{file_id}"


def gone(data: Path, owners: Iterable[str]) -> list[str]:
    """Those whose files are nowhere any more: neither in use nor in the trash."""
    trashed: dict[str, list[Path]] = {}
    for path in (data / "trash").glob("*"):
        if name := _TRASHED.fullmatch(path.name):
            trashed.setdefault(name[1], []).append(path / FILES)
    return [each for each in owners if not _is_there(data, each, trashed)]


def _is_there(data: Path, owner: str, trashed: dict[str, list[Path]]) -> bool:
    table, _, file_id = owner.partition("/")
    scope = scope_of_table(data, table)
    if scope is None or not is_id(file_id):
        return False
    folders = [scope.folder, *(trashed.get(scope.id, []) if scope.kind == "thread" else [])]
    return any((folder / file_id).is_dir() for folder in folders)


def _refuse_no_id(id: str) -> None:
    if not is_id(id):
        raise NotFound("There is no such thread or project.", do="Choose one from the list.")
