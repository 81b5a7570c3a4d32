"""Putting a backup back: all of it beside the place where it belongs, then one renaming."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.backups.checking import what_is_hit
from webapp.backups.states import DATA, MODELS, Entry, State
from webapp.backups.vault import Vault
from webapp.engines.progress import Meter, Progress, silent
from webapp.errors import AlreadyRunning, Conflict, Damaged
from webapp.threads import instance
from webapp.threads.findings import counted

_STAGE: Final = "putting back"
_BINARY: Final = getattr(os, "O_BINARY", 0)
_FOLDERS: Final = 0o700


@dataclass
class Restored:
    """`left_out` are sentences about what was damaged; `known` are models that were there."""

    files: int = 0
    size: int = 0
    models: int = 0
    known: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


class Restoring:
    """One backup of `vault` into `root`, which is empty or not there; its models, if wanted, into
    the folder `models`. With `despite_damage`, files that are not whole are left out."""

    def __init__(
        self,
        vault: Vault,
        state: State,
        root: Path,
        *,
        models: Path | None = None,
        despite_damage: bool = False,
        progress: Progress = silent,
    ) -> None:
        self._vault, self._state, self._root = vault, state, root.resolve()
        self._models, self._despite_damage = models, despite_damage
        self._meter, self._done = Meter(progress, "Restore", threading.Event()), 0
        self._damaged: list[Entry] = []

    def run(self) -> Restored:
        """Raises Conflict when there is something already, Damaged when pieces are not whole,
        StorageFailed; nothing is put in place then."""
        refuse_unless_empty(self._root)
        done = Restored()
        with _put_in_place(self._root) as new, ExitStack() as models:
            for entry in self._wanted(DATA):
                self._write(entry, new / _below(entry.path), done)
            fetched = self._fetch_models(done, models)
            self._refuse_damage(done)
            self._settle(new)
            for part, place in fetched:
                part.replace(place)
                done.models += 1
        return done

    # --- inside ---

    def _wanted(self, kind: str) -> list[Entry]:
        return [entry for entry in self._state.files if entry.path.startswith(f"{kind}/")]

    def _write(self, entry: Entry, path: Path, done: Restored) -> None:
        path.parent.mkdir(mode=_FOLDERS, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
        descriptor = os.open(path, flags, durable.OWN)
        try:
            whole = self._fill(descriptor, entry)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if not whole:
            self._damaged.append(entry)
            path.unlink()
            return
        path.chmod(entry.mode & 0o777)
        os.utime(path, ns=(entry.mtime_ns, entry.mtime_ns))
        done.files += 1
        done.size += entry.size

    def _fill(self, descriptor: int, entry: Entry) -> bool:
        """False as soon as a piece is not whole."""
        for digest, size in entry.sizes():
            data = self._vault.objects.read(digest)
            if data is None or len(data) != size:
                return False
            left = memoryview(data)
            while left:
                left = left[os.write(descriptor, left) :]
            self._done += size
            self._meter.report(_STAGE, self._done, self._state.size + 1)
        return True

    def _fetch_models(self, done: Restored, gone: ExitStack) -> list[tuple[Path, Path]]:
        """Where each lies now, until `gone`, and where it belongs; what is there stays."""
        fetched = []
        if self._models is not None:
            self._models.mkdir(parents=True, exist_ok=True)
            for entry in self._wanted(MODELS):
                place = self._models / _below(entry.path)
                if place.exists():
                    done.known.append(place.name)
                    continue
                part = place.with_name(f".{place.name}.restoring")
                part.unlink(missing_ok=True)
                gone.callback(part.unlink, missing_ok=True)
                self._write(entry, part, done)
                fetched.append((part, place))
        return [pair for pair in fetched if pair[0].exists()]

    def _refuse_damage(self, done: Restored) -> None:
        done.left_out = what_is_hit(self._damaged, self._state, self._vault.objects)
        if self._damaged and not self._despite_damage:
            raise Damaged(
                f"{counted(len(self._damaged), 'file')} of this backup cannot be read whole, so"
                " nothing was restored.",
                "An older one may have it all (`--at`), and `--skip-damaged` leaves out only this:"
                f"\n{_in_lines(done.left_out)}",
            )

    def _settle(self, new: Path) -> None:
        for path, mode in sorted(self._state.folders.items(), reverse=True):
            folder = new / _below(path)
            folder.mkdir(mode=_FOLDERS, parents=True, exist_ok=True)
            folder.chmod(mode & 0o777 | _FOLDERS)
        for each, _, _ in os.walk(new):
            durable.sync_directory(Path(each))


def refuse_unless_empty(root: Path) -> None:
    """Raises Conflict, or AlreadyRunning."""
    if running := instance.holder(root):
        raise AlreadyRunning(running, "Stop it first, or restore into another one with --data.")
    if root.is_mount():
        raise Conflict(
            f"{root} is where a disk is mounted, so nothing can appear there all at once.",
            "Restore into a folder on that disk with --data, or unmount it first.",
        )
    with durable.reading(root):
        there = {each.name for each in root.iterdir()} if root.is_dir() else set()
        is_file = root.exists() and not root.is_dir()
    if is_file or there - {instance.FILE}:
        raise Conflict(
            f"{root} is not empty, and nothing in it is ever overwritten.",
            f"Move it away (to {root.name}-old, say), or restore into another place with --data.",
        )


@contextmanager
def _put_in_place(root: Path) -> Iterator[Path]:
    """A folder that becomes `root` when all went well, and is gone otherwise. It is held against
    others who restore."""
    new = root.with_name(f"{root.name}.restoring")
    with durable.saving(new, "Nothing was restored"):
        try:
            lock = instance.InstanceLock(new)
        except AlreadyRunning:
            raise Conflict(
                f"Another restore into {root} is under way.", "Wait until it is done."
            ) from None
        try:
            _clear(new)
            new.chmod(_FOLDERS)
            yield new
            lock.release()
            (new / instance.FILE).unlink()
            _put(new, root)
        finally:
            lock.release()
            shutil.rmtree(new, ignore_errors=True)


def _clear(new: Path) -> None:
    """What a restore left that was cut short."""
    for each in new.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        elif each.name != instance.FILE:
            each.unlink()


def _put(new: Path, root: Path) -> None:
    refuse_unless_empty(root)
    (root / instance.FILE).unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        root.rmdir()
    new.rename(root)
    durable.sync_directory(root.parent)


def _below(path: str) -> Path:
    return Path(*path.split("/")[1:])


def _in_lines(sentences: Iterable[str]) -> str:
    return "\n".join(f"  {each}" for each in sentences)
