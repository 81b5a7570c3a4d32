"""One run of `strata backup`: what changed is copied, then a list of all files says that there is
a backup. Until then there is none, and what was copied is used by the next run."""

from __future__ import annotations

import errno
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.backups import note, source
from webapp.backups.copying import Copied, Copying
from webapp.backups.keeping import keep_newest, sweep
from webapp.backups.source import Source
from webapp.backups.states import DATA, MODELS, Entry, State
from webapp.backups.vault import Listing, Vault
from webapp.engines.progress import Meter, Progress, silent
from webapp.errors import Conflict, Damaged, NotFound, StorageFailed
from webapp.threads import backend, instance, salvage
from webapp.threads.database import FILE as DATABASE
from webapp.threads.database import Database

_ROUNDS: Final = 20
_STAGE: Final = "copying what changed"


@dataclass
class Made:
    """What came of a run. `dropped` are older backups that gave way."""

    state: State
    complaints: list[str] = field(default_factory=list)
    dropped: int = 0


@dataclass(frozen=True)
class Order:
    """What is to be backed up. `models` is the folder of model files, if they are to come along;
    `keep` is how many backups stay, None for all. `distrusted` are pieces not to be built on."""

    root: Path
    models: Path | None = None
    keep: int | None = None
    distrusted: frozenset[str] = frozenset()


def make(
    vault: Vault, order: Order, clock_ms: Callable[[], int], progress: Progress = silent
) -> Made:
    """The caller holds `vault`. Raises NotFound when there is nothing to back up, Conflict while
    threads are moved or mended, StorageFailed or Damaged; earlier backups are whole then."""
    _refuse_at_work(order.root)
    with vault.writing():
        vault.clear_partial()
        return _Run(vault, order, vault.listing(), progress).made(clock_ms)


class _Run:
    def __init__(self, vault: Vault, order: Order, before: Listing, progress: Progress) -> None:
        self._vault, self._order, self._before = vault, order, before
        newest = before.newest()
        known = {entry.path: entry for entry in newest.files} if newest else {}
        self._copying = Copying(vault.objects, known, self._heard, order.distrusted)
        self._meter = Meter(progress, "Backup", threading.Event())
        self._done = self._total = 0
        self._complaints: list[str] = []

    def made(self, clock_ms: Callable[[], int]) -> Made:
        root, kind = self._order.root, backend.kind_of(self._order.root)
        self._total = self._expected()
        database = self._database(kind)
        copied = self._parts(skipped=DATABASE if database else "")
        files = [*([database] if database else []), *(e for c in copied for e in c.files)]
        if not files:
            raise NotFound(f"There is nothing to back up in {root} yet.", "Is it the right folder?")
        files += self._models()
        _refuse_at_work(root)
        if backend.kind_of(root) != kind:
            raise Conflict(
                f"The threads in {root} were moved to another store in the meantime.", "Try again."
            )
        with durable.reading(root):
            parents = source.parents(root)
        folders = {f"{DATA}/{path}".rstrip("/"): mode for path, mode in parents.items()}
        folders |= {path: mode for each in copied for path, mode in each.folders.items()}
        self._complaints += [line for each in copied for line in each.complaints]
        return self._kept(files, folders, clock_ms())

    # --- inside ---

    def _kept(self, files: list[Entry], folders: dict[str, int], now: int) -> Made:
        newest = self._before.newest()
        now = max(now, newest.made + 1) if newest else now
        files.sort(key=lambda entry: entry.path)
        fresh, of = self._copying.fresh, str(self._order.root)
        state = State(now, version("strata-chat"), of, tuple(files), folders, fresh)
        if newest and newest.of != of:
            self._complaints.append(
                f"The last backup in this folder was of {newest.of}; this one is of {of}."
            )
        self._vault.objects.settle()
        self._vault.keep(state)
        self._meter.report(_STAGE, self._total, self._total)
        made = Made(state, self._complaints)
        self._before.states.insert(0, state)
        self._tidy(made)
        try:
            note.write(self._order.root, note.LastBackup(now, str(self._vault.folder)))
        except StorageFailed as error:
            made.complaints.append(f"The Settings page will not show this backup: {error.what}")
        return made

    def _tidy(self, made: Made) -> None:
        """The backup is made: what goes wrong now must not deny it."""
        try:
            if self._order.keep is not None:
                made.dropped = keep_newest(self._vault, self._before, self._order.keep)
            made.complaints += sweep(self._vault, self._before)
        except OSError as error:
            made.complaints.append(f"Older backups could not be removed: {error.strerror}.")

    def _parts(self, skipped: str) -> list[Copied]:
        """Looks again until nothing new is there: threads move to the trash and back meanwhile."""
        root, done = self._order.root, dict[str, Copied]()
        for _ in range(_ROUNDS):
            with durable.reading(root):
                names = [each for each in source.parts(root) if each != skipped]
            done = {name: done[name] for name in names if name in done}
            new = {name: self._copying.part(root, name) for name in names if name not in done}
            if not new:
                return list(done.values())
            # One that was gone when its turn came is looked for again: it may be back.
            done |= {name: each for name, each in new.items() if not each.is_gone}
        raise Conflict(f"Threads in {root} keep coming and going.", "Try again when it is quiet.")

    def _database(self, kind: backend.Kind) -> Entry | None:
        """A copy of one moment of it. None when there need be none, or when it is so damaged that
        only its bytes can be copied."""
        path, copy = self._order.root / DATABASE, self._vault.partial / DATABASE
        if not durable.size(path):
            if kind == "sqlite":
                raise backend.lost(self._order.root)
            return None
        try:
            _copy_database(path, copy)
            whole = salvage.is_whole(copy)
        except Damaged:
            copy.unlink(missing_ok=True)
            self._complaints.append(_damaged("it was copied as it is"))
            return None
        if not whole:
            self._complaints.append(_damaged("its contents were copied, damage included"))
        seen = path.stat()
        taken = copy.stat()
        mark = (taken.st_size, seen.st_mtime_ns, 0, 0)
        entry = self._copying.file(
            Source(DATABASE, copy, mark, seen.st_mode & 0o777), f"{DATA}/{DATABASE}"
        )
        copy.unlink()
        return entry

    def _models(self) -> list[Entry]:
        if self._order.models is None:
            return []
        with durable.reading(self._order.models):
            found = list(source.models(self._order.models))
        if not found:
            self._complaints.append(f"There are no models in {self._order.models}.")
        return [self._copying.file(each, f"{MODELS}/{each.path}") for each in found]

    def _expected(self) -> int:
        """About how many bytes there are to look at."""
        root, total = self._order.root, 0
        with durable.reading(root):
            for name in source.parts(root):
                total += sum(each.size for each in source.look(root, name).files)
        if self._order.models is not None:
            with durable.reading(self._order.models):
                total += sum(each.size for each in source.models(self._order.models))
        return total

    def _heard(self, size: int) -> None:
        self._done = min(self._done + size, self._total)
        self._meter.report(_STAGE, self._done, self._total + 1)


class _TargetError(Exception):
    """SQLite could not write the copy."""


def _copy_database(path: Path, copy: Path) -> None:
    """Raises OSError for what the target refuses, else as the database does."""
    try:
        with closing(Database(path)) as database, database.reading() as db:
            _backed_up(db, copy)
    except _TargetError as error:
        raise OSError(*error.args) from error.__cause__


def _backed_up(db: sqlite3.Connection, copy: Path) -> None:
    try:
        copy.touch(durable.OWN)
        with closing(sqlite3.connect(copy)) as target:
            db.backup(target)
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise
        number = errno.ENOSPC if code == sqlite3.SQLITE_FULL else errno.EIO
        raise _TargetError(number, str(error)) from error


def _damaged(what: str) -> str:
    return f"{DATABASE} is damaged; {what}. See `strata doctor`, and keep the older backups."


def _refuse_at_work(root: Path) -> None:
    if at_work := instance.maintainer(root):
        raise Conflict(at_work, "Wait until it is done, then back up.")
