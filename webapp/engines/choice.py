"""Which model files a start uses: from a setting (a name, a file, or nothing) to a path."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webapp.engines.catalog import Catalog, Entry
from webapp.engines.shelf import Shelf
from webapp.errors import NotFound


@dataclass(frozen=True)
class Choice:
    """The file to load, there or not, and the catalogue's entry when it has one to fetch."""

    path: Path
    entry: Entry | None = None


def choose(wanted: str, default: Entry, catalog: Catalog, shelf: Shelf) -> Choice:
    """`wanted` is a catalogue name, a GGUF in the models folder by name, or a path; empty means
    `default`. Raises NotFound when it is none of them."""
    if not wanted:
        return _from_catalog(default, shelf)
    known = [entry for entry in catalog.entries if wanted in (entry.name, entry.file)]
    if known:
        return _from_catalog(known[0], shelf)
    tried = (Path(wanted).expanduser(), shelf.folder / wanted, shelf.folder / f"{wanted}.gguf")
    for path in tried:
        if path.is_file():
            return Choice(path.absolute())
    raise NotFound(
        f"There is no model “{wanted}”: not in the catalogue, not in {shelf.folder}, and no file.",
        do="'strata models list' shows what there is.",
    )


def _from_catalog(entry: Entry, shelf: Shelf) -> Choice:
    return Choice(shelf.path_of(entry) or shelf.folder / entry.file, entry)
