"""A model file from elsewhere on this machine, put into the models folder without a copy of it."""

from __future__ import annotations

import os
from pathlib import Path

from webapp.engines.fetch import storage_errors
from webapp.engines.gguf_head import read_head
from webapp.engines.shelf import Shelf
from webapp.errors import BadInput, Conflict, NotFound


def taken_in(shelf: Shelf, typed: str) -> Path:
    """A hard link to the file, or on another disk a symbolic one: nothing is doubled, and removing
    it here leaves the file where it was. Raises BadInput, NotFound, Conflict, ModelFileMissing for
    a file that is no whole GGUF, StorageFailed."""
    path = _path(typed)
    if not path.is_file():
        raise NotFound(f"There is no file {path} on this machine.", do="Check its path.")
    if path.suffix.lower() != ".gguf":
        raise BadInput(
            f"{path.name} is not a GGUF file.", do="Choose one whose name ends in .gguf."
        )
    head = read_head(path)
    if not head.role:
        raise BadInput(
            f"{path.name} is a part for other models, not a model that answers or embeds.",
            do="Choose the model itself.",
        )
    target = target_of(shelf, typed)
    if target.exists() or target.is_symlink():
        raise Conflict(
            f"There is already a model named {target.name}.",
            do="Rename the file, or remove the other.",
        )
    with storage_errors(shelf.folder):
        shelf.folder.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path.resolve(), target)
        except OSError:  # another disk, or one without such links
            target.symlink_to(path.resolve())
    return target


def target_of(shelf: Shelf, typed: str) -> Path:
    """Where it will stand in the models folder. Raises BadInput."""
    return shelf.folder / f"{_path(typed).stem}.gguf"


def _path(typed: str) -> Path:
    if not typed.strip() or not typed.isprintable():
        raise BadInput("No file was named.", do="Type the path of a GGUF file on this machine.")
    path = Path(typed.strip()).expanduser()
    if not path.is_absolute():
        raise BadInput(f"“{typed.strip()}” is not a full path.", do="Begin it with / (or ~).")
    return path
