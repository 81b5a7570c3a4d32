"""Files and folders that people bring, from their arrival to what came of them: looked at in the
background, and brought in once their person has seen what would come.

Each person has one at a time. Nothing of it outlives the server; what came in is stored by then.
"""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from webapp import durable
from webapp.archives.bringing import Bringing, Outcome, Rooms
from webapp.archives.sources import source
from webapp.archives.whose import Whose
from webapp.errors import BadInput, Conflict, StrataError

log = logging.getLogger(__name__)

Stage = Literal["looking", "looked", "bringing", "brought", "failed"]
WORKING: Final = ("looking", "bringing")


@dataclass(frozen=True)
class Import:
    """At one moment. `outcome` is what would come, or came so far; `total` is how many threads it
    has, 0 as long as nobody knows; `problem` says why it ended."""

    name: str
    stage: Stage
    outcome: Outcome | None = None
    total: int = 0
    problem: str = ""

    @property
    def is_working(self) -> bool:
        return self.stage in WORKING


@dataclass
class _Job:
    """`own` files go when the job ends; a folder of another program stays as it is."""

    path: Path
    now: Import
    own: bool = True

    def tidy(self) -> None:
        if self.own:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)


class Imports:
    """Files are in `folder`, which is this server's alone. `new_id` gives a fresh name."""

    def __init__(
        self, folder: Path, *, clock_ms: Callable[[], int], new_id: Callable[[], str]
    ) -> None:
        self._folder = folder
        self._clock_ms = clock_ms
        self._new_id = new_id
        self._lock = threading.Lock()
        self._one_at_a_time = threading.Lock()
        self._jobs: dict[str, _Job] = {}
        self._threads: list[threading.Thread] = []
        self._closed = False
        shutil.rmtree(folder, ignore_errors=True)

    def now(self, person: str) -> Import | None:
        with self._lock:
            job = self._jobs.get(person)
            return job.now if job else None

    @contextmanager
    def room(self) -> Iterator[Path]:
        """Where a file can be put on its way in; it goes unless it was `look`ed at. StorageFailed
        when there is no room."""
        with durable.saving(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / self._new_id()
        try:
            with durable.saving(path):
                yield path
        finally:
            if not self._keeps(path):
                path.unlink(missing_ok=True)

    def look(self, person: str, name: str, path: Path, rooms: Rooms, whose: Whose) -> None:
        """See what would come of a file that is ours. Raises Conflict while an earlier one is
        being brought in."""
        self._look(person, _Job(path, Import(name, "looking")), rooms, whose)

    def look_into(self, person: str, folder: Path, rooms: Rooms, whose: Whose) -> None:
        """The same for a folder of another program, in which nothing is changed."""
        self._look(person, _Job(folder, Import(str(folder), "looking"), False), rooms, whose)

    def bring(self, person: str, rooms: Rooms, whose: Whose) -> None:
        """What was looked at. Raises Conflict when nothing was."""
        with self._lock:
            self._refuse_if_bringing(person)
            job = self._jobs.get(person)
            if job is None or job.now.stage != "looked":
                raise Conflict("There is nothing to import.", do="Choose a file first.")
            total = job.now.outcome.looked_at if job.now.outcome else 0
            job.now = replace(job.now, stage="bringing", outcome=None, total=total)
        self._begin(job, rooms, whose, dry=False)

    def drop(self, person: str) -> None:
        """Forget it. Raises Conflict while it is being brought in."""
        with self._lock:
            self._refuse_if_bringing(person)
            job = self._jobs.pop(person, None)
        if job is not None:
            job.tidy()

    def wait(self, timeout_seconds: float) -> None:
        for thread in list(self._threads):
            thread.join(timeout_seconds)

    def close(self) -> None:
        """What is being brought in ends after the thread at hand. Idempotent."""
        self._closed = True
        self.wait(2)
        shutil.rmtree(self._folder, ignore_errors=True)

    # --- inside ---

    def _look(self, person: str, job: _Job, rooms: Rooms, whose: Whose) -> None:
        with self._lock:
            self._refuse_if_bringing(person)
            before = self._jobs.get(person)
            self._jobs[person] = job
        if before is not None:
            before.tidy()
        self._begin(job, rooms, whose, dry=True)

    def _keeps(self, path: Path) -> bool:
        with self._lock:
            return any(job.path == path for job in self._jobs.values())

    def _holds(self, job: _Job) -> bool:
        with self._lock:
            return any(each is job for each in self._jobs.values())

    def _refuse_if_bringing(self, person: str) -> None:
        job = self._jobs.get(person)
        if job is not None and job.now.stage == "bringing":
            raise Conflict("Your last file is still being imported.", do="Wait until it is done.")

    def _begin(self, job: _Job, rooms: Rooms, whose: Whose, *, dry: bool) -> None:
        work = threading.Thread(
            target=self._work, args=(job, rooms, whose, dry), name="import", daemon=True
        )
        self._threads = [each for each in self._threads if each.is_alive()] + [work]
        work.start()

    def _work(self, job: _Job, rooms: Rooms, whose: Whose, dry: bool) -> None:
        try:
            with self._one_at_a_time:
                self._run(job, rooms, whose, dry)
        except StrataError as error:
            job.now = replace(job.now, stage="failed", problem=str(error))
        except Exception:
            log.exception("An import failed")
            problem = "Something went wrong in Strata itself; the log has the details."
            job.now = replace(job.now, stage="failed", problem=problem)
        if job.now.stage != "looked":
            job.tidy()

    def _run(self, job: _Job, rooms: Rooms, whose: Whose, dry: bool) -> None:
        def heard(outcome: Outcome) -> None:
            if self._closed or not self._holds(job):
                raise Conflict(
                    "Strata was stopped before everything was in.", do="Import it once more."
                )
            total = job.now.total or outcome.total
            job.now = replace(job.now, outcome=replace(outcome), total=total)

        with source(job.path, self._clock_ms()) as found:
            outcome = Bringing(rooms, whose, dry=dry, heard=heard).run(found)
        if dry and not (outcome.looked_at or outcome.is_anything):
            raise BadInput("There is nothing in it that could be imported.")
        job.now = replace(job.now, stage="looked" if dry else "brought", outcome=replace(outcome))
