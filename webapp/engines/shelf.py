"""The models folder: which models are there, which of them are whole, and how they come and go.

One folder per user, shared by every clone and data directory. Beside a model stands
`<file>.json`: what it was made from and its sha256, so that it can be checked again later. A model
file appears in one step, whole and checked; a file of the wrong size is not used.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Literal

from webapp.engines.catalog import Catalog, Entry
from webapp.engines.conversion import run_conversion
from webapp.engines.fetch import check_room, fetch_file, sha256_of, storage_errors
from webapp.engines.file_lock import holding
from webapp.engines.gguf_head import read_head
from webapp.engines.part_file import PartFile, sync_folder
from webapp.engines.progress import Meter, Progress, silent
from webapp.errors import Conflict, ModelFileMissing, NotFound

State = Literal["present", "absent", "begun", "damaged"]
Verdict = Literal["good", "damaged", "unknown"]


@dataclass(frozen=True)
class Item:
    """A model of the catalogue, or a GGUF somebody put into the folder (`entry` is None).

    `bytes` is the size on disk, or what it will be; `begun` is how much of it was fetched.
    """

    name: str
    title: str
    role: Literal["chat", "embedding", ""]
    path: Path
    bytes: int
    state: State
    context: int
    begun: int = 0
    problem: str = ""
    entry: Entry | None = None


class Shelf:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path_of(self, entry: Entry) -> Path | None:
        """The model's file if it is there in its right size; nothing is hashed."""
        path = self.folder / entry.file
        try:
            size = path.stat().st_size
        except OSError:
            return None
        return path if size in (entry.bytes, self._recorded_size(entry)) else None

    def fetch(self, entry: Entry, progress: Progress = silent, cancel: Event | None = None) -> Path:
        """The model's file, fetched and converted unless it is there. When somebody else is
        fetching it, waits for them. Raises DownloadFailed, StorageFailed, Damaged or Stopped."""
        if path := self.path_of(entry):
            return path
        meter = Meter(progress, entry.title, cancel or Event())
        with storage_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            with holding(self._lock(entry.file), lambda: _wait_for_other(meter)):
                return self.path_of(entry) or self._fetch(entry, meter)

    def items(self, catalog: Catalog) -> list[Item]:
        """The catalogue in its order, then whatever else is in the folder, by name."""
        known = {entry.file for entry in catalog.entries}
        whole = {path.name for path in self.folder.glob("*.gguf")}
        begun = {path.stem for path in self.folder.glob("*.gguf.part")}
        extra = [self._extra(self.folder / name) for name in sorted((whole | begun) - known)]
        return [self._of_catalog(entry) for entry in catalog.entries] + extra

    def item(self, catalog: Catalog, name: str) -> Item:
        """By name or file name. Raises NotFound."""
        for item in self.items(catalog):
            if name in (item.name, item.path.name):
                return item
        raise NotFound(
            f"There is no model named {name!r}.", do="'strata models list' shows all of them."
        )

    def verify(
        self, item: Item, progress: Progress = silent, cancel: Event | None = None
    ) -> Verdict:
        """Reads the whole file. "unknown": it looks like a model, but nobody wrote down its
        sha256. Raises ModelFileMissing when there is no file to check."""
        if not item.path.is_file():
            read_head(item.path)
        expected = self._expected_sha256(item)
        with storage_errors(self.folder):
            found = sha256_of(item.path, Meter(progress, item.title, cancel or Event()))
        if found in expected:
            return "good"
        if expected or _problem(item.path):
            return "damaged"
        return "unknown"

    def remove(self, item: Item) -> None:
        """The file and all that belongs to it. Raises Conflict while it is being fetched."""
        with storage_errors(self.folder):
            if not self.folder.is_dir():
                return
            with holding(self._lock(item.path.name), lambda: _refuse_removal(item)):
                names = {item.path.name}
                if item.entry:
                    names.add(item.entry.download.file)
                for name in names:
                    PartFile(self.folder / name).discard()
                    (self.folder / name).unlink(missing_ok=True)
                    self._record(name).unlink(missing_ok=True)

    def _fetch(self, entry: Entry, meter: Meter) -> Path:
        if entry.converter:
            return self._fetch_and_convert(entry, meter)
        path = fetch_file(entry.download, entry.title, self.folder, meter)
        try:
            read_head(path)
        except ModelFileMissing:
            path.unlink(missing_ok=True)
            raise
        self._write_record(entry, entry.sha256)
        return path

    def _fetch_and_convert(self, entry: Entry, meter: Meter) -> Path:
        source, target = self.folder / entry.download.file, self.folder / entry.file
        if not source.is_file() or sha256_of(source, meter) != entry.download.sha256:
            check_room(self.folder, entry.download.bytes + entry.bytes, entry.title)
            source = fetch_file(entry.download, entry.title, self.folder, meter)
        made = target.with_name(f".{target.name}.made")
        try:
            run_conversion(entry.converter, source, made, meter)
            read_head(made)
            sha256 = sha256_of(made, meter)
            made.replace(target)
        finally:
            made.unlink(missing_ok=True)
        self._write_record(entry, sha256)
        sync_folder(self.folder)
        source.unlink()
        return target

    def _of_catalog(self, entry: Entry) -> Item:
        path = self.folder / entry.file
        begun = PartFile(self.folder / entry.download.file).size()
        state: State = "begun" if begun else "absent"
        problem, size = "", entry.bytes
        if self.path_of(entry):
            state, begun = "present", 0
        elif path.is_file():
            size, state = path.stat().st_size, "damaged"
            problem = f"It has {size:,} bytes instead of {entry.bytes:,}."
        return Item(
            entry.name,
            entry.title,
            entry.role,
            path,
            size,
            state,
            entry.context,
            begun,
            problem,
            entry,
        )

    def _extra(self, path: Path) -> Item:
        begun = PartFile(path).size()
        if begun and not path.exists():
            return Item(path.stem, path.stem, "", path, 0, "begun", 0, begun)
        try:
            head = read_head(path)
        except ModelFileMissing as error:
            size = path.stat().st_size if path.is_file() else 0
            return Item(path.stem, path.stem, "", path, size, "damaged", 0, problem=error.what)
        title = head.name or path.stem
        return Item(
            path.stem, title, head.role, path, head.file_bytes, "present", head.context_tokens
        )

    def _expected_sha256(self, item: Item) -> set[str]:
        recorded = self._read_record(item.path.name).get("sha256")
        known = {recorded} if isinstance(recorded, str) else set()
        return known | {item.entry.sha256} if item.entry else known

    def _lock(self, file: str) -> Path:
        return self.folder / f".{file}.lock"

    def _record(self, file: str) -> Path:
        return self.folder / f"{file}.json"

    def _recorded_size(self, entry: Entry) -> object:
        record = self._read_record(entry.file)
        return record.get("bytes") if record.get("source") == entry.download.sha256 else None

    def _read_record(self, file: str) -> dict[str, object]:
        try:
            record = json.loads(self._record(file).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) else {}

    def _write_record(self, entry: Entry, sha256: str) -> None:
        record = {
            "name": entry.name,
            "sha256": sha256,
            "bytes": (self.folder / entry.file).stat().st_size,
            "source": entry.download.sha256,
            "licence": entry.licence,
        }
        beside = self.folder / f".{entry.file}.json.new"
        beside.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        beside.replace(self._record(entry.file))


def _wait_for_other(meter: Meter) -> None:
    meter.report("waiting for another Strata that is fetching this model", 0, 0)
    meter.wait(0.3)


def _refuse_removal(item: Item) -> None:
    raise Conflict(
        f"{item.title} is being fetched at the moment.", do="Stop that first, then remove it."
    )


def _problem(path: Path) -> str:
    try:
        read_head(path)
    except ModelFileMissing as error:
        return error.what
    return ""
