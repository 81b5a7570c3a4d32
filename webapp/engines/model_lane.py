"""Long work on model files, one piece after another, on a thread of its own: fetching, checking.

A fetch that is paused, fails or dies with the server leaves its part in the models folder and goes
on from there; where it comes from is written beside it, so that a later start knows too.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from webapp.engines.catalog import Catalog, Entry
from webapp.engines.hub_entry import hub_entry, hub_file, is_hub_reference
from webapp.engines.part_file import PartFile
from webapp.engines.progress import Step, Stopped
from webapp.engines.shelf import Item, Shelf
from webapp.errors import Conflict, NotFound, StrataError

log = logging.getLogger(__name__)

Kind = Literal["fetch", "verify"]
State = Literal["waiting", "running", "paused", "failed", "done"]
ORIGINS: Final = ".origins.json"
_AT_WORK: Final = ("waiting", "running")


@dataclass(frozen=True)
class Work:
    """On the model file `file`. `origin` is a catalogue name or owner/repository/file.gguf; `told`
    says how it ended."""

    file: str
    kind: Kind
    origin: str
    state: State = "waiting"
    step: Step | None = None
    told: str = ""

    @property
    def is_busy(self) -> bool:
        return self.state in _AT_WORK


@dataclass
class _Job:
    work: Work
    cancel: threading.Event = field(default_factory=threading.Event)
    discard: bool = False


class ModelLane:
    """Calls come from any thread and return at once."""

    def __init__(self, shelf: Shelf, catalog: Catalog) -> None:
        self._shelf = shelf
        self._catalog = catalog
        self._jobs: dict[str, _Job] = {}
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def works(self) -> list[Work]:
        """Those of this run, oldest first; what an earlier run left is on the shelf as `begun`."""
        with self._changed:
            return [job.work for job in self._jobs.values()]

    def of(self, file: str) -> Work | None:
        with self._changed:
            job = self._jobs.get(file)
            return job.work if job else None

    def fetch(self, origin: str) -> Work:
        """Begin, or go on. Raises BadInput for what names no model file, NotFound for a name that
        is not in the catalogue. Twice is once."""
        file = hub_file(origin) if is_hub_reference(origin) else self._catalog.entry(origin).file
        return self._add(Work(file, "fetch", origin))

    def go_on(self, file: str) -> Work:
        """With a fetch of an earlier run. NotFound when nobody knows where it comes from."""
        known = next((each.name for each in self._catalog.entries if each.file == file), "")
        origin = known or self._origins().get(file, "")
        if not origin:
            raise NotFound(
                f"It is no longer known where {file} comes from.",
                do="Type its name on the model hub again: the download goes on.",
            )
        return self.fetch(origin)

    def verify(self, item: Item) -> Work:
        return self._add(Work(item.path.name, "verify", item.name))

    def pause(self, file: str) -> None:
        """What came stays. Nothing happens to what is not at work."""
        with self._changed:
            job = self._jobs.get(file)
            if job and job.work.is_busy:
                job.cancel.set()
                if job.work.state == "waiting":
                    self._set(job, state="paused")

    def cancel(self, file: str) -> None:
        """What came is deleted, also of an earlier run."""
        with self._changed:
            job = self._jobs.get(file)
            if job and job.work.state == "running":
                job.discard = True
                job.cancel.set()
                return
            self._jobs.pop(file, None)
        self._discard(file)

    def dismiss(self, file: str) -> None:
        """What is over is not told any more."""
        with self._changed:
            job = self._jobs.get(file)
            if job and not job.work.is_busy:
                del self._jobs[file]

    def refuse_if_fetching(self, file: str) -> None:
        """Conflict while a download of that name is under way or was left by an earlier run."""
        work = self.of(file)
        fetching = work is not None and work.kind == "fetch" and work.state != "done"
        if fetching or PartFile(self._shelf.folder / file).size():
            raise Conflict(
                f"A model named {file} is being fetched.",
                do="Stop that download, or rename the file.",
            )

    def wait(self, file: str, until: Callable[[Work | None], bool], timeout: float) -> Work | None:
        """The work on a file once `until` holds for it, or as it is at the time-out (seconds)."""
        with self._changed:
            self._changed.wait_for(lambda: until(self._work(file)), timeout)
            return self._work(file)

    def close(self) -> None:
        """What runs is paused. Idempotent."""
        with self._changed:
            self._closed = True
            for job in self._jobs.values():
                job.cancel.set()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=5)

    # --- inside ---

    def _work(self, file: str) -> Work | None:
        job = self._jobs.get(file)
        return job.work if job else None

    def _add(self, work: Work) -> Work:
        with self._changed:
            known = self._jobs.get(work.file)
            if known is not None and known.work.is_busy:
                if known.work.kind != work.kind:
                    raise Conflict(
                        f"{work.file} is being worked on.", do="Wait until that is done."
                    )
                if not known.cancel.is_set():
                    return known.work
            self._jobs.pop(work.file, None)
            self._jobs[work.file] = _Job(work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="models", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return work

    def _set(self, job: _Job, **changes: object) -> None:
        with self._changed:
            job.work = replace(job.work, **changes)  # type: ignore[arg-type]
            self._changed.notify_all()

    def _next(self) -> _Job | None:
        with self._changed:
            while not self._closed:
                for job in self._jobs.values():
                    if job.work.state == "waiting":
                        self._set(job, state="running")
                        return job
                self._changed.wait()
        return None

    def _run(self) -> None:
        while (job := self._next()) is not None:
            try:
                self._set(job, told=self._done(job), state="done", step=None)
            except Stopped:
                self._stopped(job)
            except StrataError as error:
                self._set(job, state="failed", told=str(error), step=None)
            except Exception:
                log.exception("work on %s failed", job.work.file)
                told = "Something went wrong in Strata itself; the log has the details."
                self._set(job, state="failed", told=told, step=None)

    def _done(self, job: _Job) -> str:
        work = job.work

        def progress(step: Step) -> None:
            self._set(job, step=step)

        if work.kind == "verify":
            item = self._shelf.item(self._catalog, work.origin)
            return _VERDICTS[self._shelf.verify(item, progress, job.cancel)]
        self._shelf.fetch(self._entry(work, job.cancel), progress, job.cancel)
        self._keep_origin(work.file, "")
        return "It is here, and its sha256 is right."

    def _entry(self, work: Work, cancel: threading.Event) -> Entry:
        if not is_hub_reference(work.origin):
            return self._catalog.entry(work.origin)
        entry = hub_entry(work.origin, self._catalog, cancel)
        self._keep_origin(work.file, work.origin)
        return entry

    def _stopped(self, job: _Job) -> None:
        with self._changed:
            if not job.discard:
                self._set(job, state="paused", step=None)
                return
            self._discard(job.work.file)
            if self._jobs.get(job.work.file) is job:
                del self._jobs[job.work.file]
            self._changed.notify_all()

    def _discard(self, file: str) -> None:
        names = {file, *(each.download.file for each in self._catalog.entries if each.file == file)}
        for name in names:
            PartFile(self._shelf.folder / name).discard()
        self._keep_origin(file, "")

    def _origins(self) -> dict[str, str]:
        try:
            found = json.loads((self._shelf.folder / ORIGINS).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _keep_origin(self, file: str, origin: str) -> None:
        """An empty one is forgotten. A disk that refuses costs the memory of it, not the fetch."""
        known = self._origins()
        if known.get(file, "") == origin:
            return
        left = {name: each for name, each in known.items() if name != file}
        if origin:
            left[file] = origin
        try:
            path = self._shelf.folder / ORIGINS
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_name(f"{ORIGINS}.new")
            beside.write_text(json.dumps(left), "utf-8")
            beside.replace(path)
        except OSError as error:
            log.warning("where %s comes from was not written down: %s", file, error)


_VERDICTS: Final = {
    "good": "Checked: its sha256 is right.",
    "damaged": "Checked: it is damaged. Delete it and fetch it again.",
    "unknown": "Checked: it looks whole; what its sha256 should be is not known here.",
}
