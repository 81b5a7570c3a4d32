"""Projects: threads that belong together, with instructions and files of their own.

A project is a folder, `projects/<id>`, with `project.json`; its files are in the folder too, and
are not looked at here. Which project a thread is in stands in the thread itself.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from webapp import durable
from webapp.chat.messages import Thread, is_id
from webapp.chat.wording import clean
from webapp.errors import BadInput, Damaged, NotFound, StorageFailed, StrataError
from webapp.threads import exact
from webapp.threads.ownership import OWNER, SHARES, Right, owned
from webapp.threads.store import DamagedThread
from webapp.threads.trash import GOING, take_apart

ABOUT: Final = "project.json"
LINK: Final = "project"
ARRIVING: Final = "arriving"
LONGEST_PROJECT_NAME: Final = 120
LONGEST_INSTRUCTIONS: Final = 20_000

_Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class Project:
    """The JSON object of a project; fields that we do not know are kept."""

    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.data["id"])

    @property
    def name(self) -> str:
        return " ".join(_words(self.data.get("name")).split()) or "Untitled"

    @property
    def instructions(self) -> str:
        return _words(self.data.get("instructions"))


@dataclass(frozen=True)
class DamagedProject:
    """A project whose `project.json` cannot be read; its files and threads are as they were."""

    id: str
    problem: str


def project_id_of(thread: Thread | DamagedThread) -> str | None:
    """The project that a thread says it is in, there or not."""
    link = None if isinstance(thread, DamagedThread) else thread.metadata.get(LINK)
    found = link.get("id") if isinstance(link, Mapping) else link
    return found if isinstance(found, str) and is_id(found) else None


class Projects:
    """One for each data directory. Calls may come from any thread.

    `clock_ms` gives milliseconds since 1970, `new_id` a fresh id."""

    def __init__(
        self, data: Path, *, clock_ms: Callable[[], int], new_id: Callable[[], str]
    ) -> None:
        self._root = data / "projects"
        self._clock_ms = clock_ms
        self._new_id = new_id
        self._writing = threading.Lock()
        self._known: dict[str, tuple[_Stamp, Project]] = {}

    def all(self) -> list[Project | DamagedProject]:
        """By name; one that cannot be read hides no other. Raises StorageFailed."""
        with durable.reading(self._root):
            names = [each.name for each in self._root.iterdir()] if self._root.is_dir() else []
        found = [self._listed(name) for name in names if is_id(name)]
        return sorted((each for each in found if each is not None), key=_order)

    def project(self, project_id: str) -> Project:
        """Raises NotFound, Damaged, or StorageFailed."""
        path = self._folder(project_id) / ABOUT
        with durable.reading(path):
            try:
                stamp = _stamp(path.stat())
                known = self._known.get(project_id)
                if known is not None and known[0] == stamp:
                    return known[1]
                data = path.read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                if path.parent.is_dir():
                    raise _damaged(project_id, "is missing") from None
                raise _not_found() from None
        project = _parsed(project_id, data)
        self._known[project_id] = stamp, project
        return project

    def make(self, name: str, instructions: str = "", *, owner: str = "") -> Project:
        """Durable. Raises BadInput or StorageFailed; nothing is left then."""
        seconds = self._clock_ms() / 1000
        project = Project(
            {
                "id": self._new_id(),
                "object": "project",
                "name": checked_project_name(name),
                "instructions": checked_instructions(instructions),
                "created": seconds,
                "updated": seconds,
                **owned(owner),
            }
        )
        self._insert(project)
        return project

    def take_in(self, project_id: str, fields: Mapping[str, Any], *, owner: str = "") -> Project:
        """One that comes from elsewhere, under an id that nobody has, and that says of itself that
        it is `ARRIVING` until it `has_arrived`. Durable. Raises BadInput, or StorageFailed;
        nothing is left then."""
        own = {name: value for name, value in fields.items() if name not in (OWNER, SHARES)}
        data = {**own, "id": project_id, "object": "project", ARRIVING: True, **owned(owner)}
        project = Project(data)
        words = {"name": project.name[:LONGEST_PROJECT_NAME]}
        words["instructions"] = project.instructions[:LONGEST_INSTRUCTIONS]
        project = Project({**data, **words})
        self._insert(project)
        return project

    def has_arrived(self, project_id: str) -> None:
        """With all its files. Durable. Raises NotFound, Damaged, or StorageFailed."""
        with self._writing:
            data = self.project(project_id).data
            self._save(Project({name: data[name] for name in data if name != ARRIVING}))

    def change(self, project_id: str, name: str, instructions: str) -> Project:
        """Durable and atomic; a damaged one is written anew. Raises NotFound, BadInput, or
        StorageFailed with the old words in place."""
        words = {
            "name": checked_project_name(name),
            "instructions": checked_instructions(instructions),
        }
        with self._writing:
            try:
                data = self.project(project_id).data
            except Damaged:
                data = {"id": project_id, "object": "project", "created": self._clock_ms() / 1000}
            changed = Project({**data, **words, "updated": self._clock_ms() / 1000})
            self._save(changed)
            return changed

    def share(self, project_id: str, shares: Mapping[str, Right]) -> Project:
        """With these and nobody else. Durable and atomic. Raises NotFound, Damaged, or
        StorageFailed."""
        with self._writing:
            changed = Project({**self.project(project_id).data, SHARES: dict(shares)})
            self._save(changed)
            return changed

    def delete(self, project_id: str) -> None:
        """For good, with its folder and what is in it. Raises NotFound or StorageFailed."""
        folder = self._folder(project_id)
        with self._writing:
            if not folder.is_dir():
                raise _not_found()
            # Renamed before it is taken apart, so that half a project is never listed.
            durable.move(folder, folder.with_name(GOING + project_id))
            self._known.pop(project_id, None)
        with suppress(StorageFailed):  # what is left is out of sight, and goes the next time
            take_apart(self._root)

    # --- inside ---

    def _insert(self, project: Project) -> None:
        folder = self._root / project.id
        with durable.saving(folder):
            folder.mkdir(parents=True)
        try:
            self._save(project)
            with durable.saving(folder):
                durable.sync_directory(self._root)
                durable.sync_directory(self._root.parent)
        except (StorageFailed, BadInput):
            with suppress(OSError):
                (folder / ABOUT).unlink(missing_ok=True)
                folder.rmdir()
            raise

    def _folder(self, project_id: str) -> Path:
        if not is_id(project_id):
            raise _not_found()
        return self._root / project_id

    def _listed(self, project_id: str) -> Project | DamagedProject | None:
        try:
            return self.project(project_id)
        except NotFound:  # deleted meanwhile, or a stray file
            return None
        except StrataError as error:
            return DamagedProject(project_id, str(error))

    def _save(self, project: Project) -> None:
        try:
            text = exact.dumps(project.data)
        except ValueError:
            raise BadInput("This project's fields are nested too deeply to be saved.") from None
        durable.replace(self._root / project.id / ABOUT, exact.encoded(text) + b"\n")


def checked_project_name(text: str) -> str:
    """A name on one line. Raises BadInput with a sentence."""
    wanted = " ".join(clean(text).split())
    if not wanted:
        raise BadInput("A project needs a name.", do="Type one.")
    if len(wanted) > LONGEST_PROJECT_NAME:
        what = f"This name has {len(wanted):,} characters."
        raise BadInput(what, do=f"Use up to {LONGEST_PROJECT_NAME}.")
    return wanted


def checked_instructions(text: str) -> str:
    """Instructions as they were written, empty for none. Raises BadInput with a sentence."""
    wanted = clean(text.replace("\r\n", "\n")).strip()
    if len(wanted) > LONGEST_INSTRUCTIONS:
        what = f"These instructions have {len(wanted):,} characters."
        raise BadInput(what, do=f"Use up to {LONGEST_INSTRUCTIONS:,}.")
    return wanted


def _words(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""


def _order(row: Project | DamagedProject) -> tuple[bool, str, str]:
    damaged = isinstance(row, DamagedProject)
    return damaged, "" if isinstance(row, DamagedProject) else row.name.casefold(), row.id


def _stamp(stat: os.stat_result) -> _Stamp:
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _parsed(project_id: str, data: bytes) -> Project:
    """The folder's name is the id, whatever the file says."""
    try:
        value = exact.loads(data.decode("utf-8-sig"))
    except ValueError:
        raise _damaged(project_id, "is damaged") from None
    if not isinstance(value, Mapping):
        raise _damaged(project_id, "holds something other than a project")
    return Project({**value, "id": project_id})


def _not_found() -> NotFound:
    return NotFound("There is no such project.", do="Choose one from the list of projects.")


def _damaged(project_id: str, problem: str) -> Damaged:
    return Damaged(
        f"{ABOUT} {problem} in the project folder {project_id}.",
        "Its threads and files are as they were; save its name and instructions again.",
    )
