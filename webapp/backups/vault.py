"""A folder of backups.

`backup.json` says that it is one, `objects/` holds the pieces of all files, `states/` a list of
files for each backup, `partial/` what is being written. Only who owns it may look into it: it holds
every word, and what people's passwords are known by.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.backups.objects import Objects, strange
from webapp.backups.states import FORMAT, State, decode, encode, newer
from webapp.engines.file_lock import holding
from webapp.errors import BadInput, Conflict, Damaged, NotFound, StorageFailed, StrataError

MARK: Final = "backup.json"
_LOCK: Final = "backup.lock"
_LIST: Final = ".json"
# What systems put into an empty folder or disk, and what a cut short beginning leaves.
_NOTHING: Final = {"lost+found", ".DS_Store", "System Volume Information", f"{MARK}.new"}


@dataclass
class Listing:
    """Backups that can be read, newest first, and what is wrong with the others by their names."""

    states: list[State] = field(default_factory=list)
    problems: dict[str, StrataError] = field(default_factory=dict)

    def newest(self) -> State | None:
        return self.states[0] if self.states else None


class Vault:
    """One that was opened or made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.partial = folder / "partial"
        self.objects = Objects(folder / "objects", self.partial)
        self._states = folder / "states"

    def listing(self) -> Listing:
        """Raises StorageFailed when they cannot be listed."""
        found = Listing()
        with durable.reading(self._states):
            paths = sorted(self._states.glob(f"*{_LIST}"), reverse=True)
        for path in paths:
            try:
                with durable.reading(path):
                    data = path.read_bytes()
                found.states.append(decode(data, path.stem))
            except StrataError as error:
                if path.exists():  # else it gave way just now
                    found.problems[path.stem] = error
        return found

    def keep(self, state: State) -> None:
        """From now on it is a backup. Durable; what it needs was settled before."""
        path = self._states / f"{state.name}{_LIST}"
        data = encode(state)
        durable.replace(path, data, mode=durable.OWN)
        with durable.reading(path):
            if path.read_bytes() != data:
                path.unlink()
                raise strange(self.folder)

    def forget(self, state: State) -> None:
        (self._states / f"{state.name}{_LIST}").unlink(missing_ok=True)
        durable.sync_directory(self._states)

    def clear_partial(self) -> None:
        shutil.rmtree(self.partial, ignore_errors=True)
        self.partial.mkdir(mode=0o700, exist_ok=True)

    @contextmanager
    def held(self) -> Iterator[None]:
        """One at a time. Raises Conflict."""
        with self.writing(), holding(self.folder / _LOCK, self._refuse):
            yield

    @contextmanager
    def watched(self) -> Iterator[None]:
        """The same for who only reads; a disk that cannot be written to changes under nobody."""
        held = holding(self.folder / _LOCK, self._refuse)
        try:
            held.__enter__()
        except OSError:
            yield
            return
        try:
            yield
        finally:
            held.__exit__(None, None, None)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What the disk refuses, in words."""
        with writing(self.folder):
            yield

    def is_private(self) -> bool:
        """False where the disk keeps no permissions."""
        if os.name == "nt":
            return True
        with durable.reading(self.folder):
            return not self.folder.stat().st_mode & 0o077

    def make(self) -> None:
        """The parts that are not there yet."""
        with self.writing():
            with suppress(PermissionError):  # a disk that keeps none
                self.folder.chmod(0o700)
            if not (self.folder / MARK).exists():
                text = json.dumps({"format": FORMAT, "what": "Backups of Strata"})
                durable.replace(self.folder / MARK, text.encode() + b"\n", mode=durable.OWN)
            for name in ("objects", "states", "partial"):
                (self.folder / name).mkdir(mode=0o700, exist_ok=True)
            durable.sync_directory(self.folder)

    def _refuse(self) -> None:
        raise Conflict(
            f"Another backup or restore is running in {self.folder}.", "Wait until it is done."
        )


def opened(folder: Path) -> Vault:
    """Raises NotFound when there is no folder, BadInput when it holds no backups, Conflict when
    they are of a newer Strata, Damaged or StorageFailed."""
    path = folder / MARK
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.", "Check the name, and connect its disk.")
    with durable.reading(path):
        if not path.exists():
            raise BadInput(
                f"{folder} holds no backups of Strata: it has no {MARK}.",
                "Name the folder that `strata backup` wrote to.",
            )
        data = path.read_bytes()
    try:
        made = int(json.loads(data)["format"])
    except (ValueError, KeyError, TypeError):
        raise Damaged(
            f"{path} is damaged.", f'If this folder holds backups, write {{"format": {FORMAT}}} in.'
        ) from None
    if made > FORMAT:
        raise newer(f"What is in {folder}")
    return Vault(folder)


def made(folder: Path, *sources: Path) -> Vault:
    """The one in `folder`, begun there if it is new or empty. Raises BadInput or NotFound where
    none can be, else as `opened` does; `sources` are what is to be copied."""
    for source in sources:
        if folder.resolve().is_relative_to(source.resolve()):
            raise BadInput(
                f"{folder} lies in {source}, so what takes the one away takes the other too.",
                "Name a folder elsewhere, ideally on another disk.",
            )
    if not folder.parent.is_dir():
        raise NotFound(
            f"There is no folder {folder.parent} to put backups in.",
            "Connect its disk, or make the folder first.",
        )
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file.", "Name a folder.")
    if not (folder / MARK).exists():
        _begin(folder)
    else:
        opened(folder)
    vault = Vault(folder)
    vault.make()
    return vault


def _begin(folder: Path) -> None:
    with writing(folder):
        folder.mkdir(mode=0o700, exist_ok=True)
        there = {each.name for each in folder.iterdir()} - _NOTHING
    if there:
        raise BadInput(
            f"{folder} is not empty and holds no backups of Strata.",
            f"Name a folder for backups only, such as {folder / 'strata-backups'}.",
        )


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """What the disk of `folder` refuses, in words."""
    try:
        yield
    except OSError as error:
        try:
            with durable.saving(folder / MARK, f"The backup in {folder} was not finished"):
                raise
        except StorageFailed as told:
            raise StorageFailed(
                told.what,
                "Earlier ones are whole. Mend that, then run the same command again.",
            ) from error
