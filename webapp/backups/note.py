"""When the last backup of a data directory was made, kept in it for its pages to show."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from webapp import durable

FILE: Final = "last-backup.json"


@dataclass(frozen=True)
class LastBackup:
    """`made` in milliseconds since 1970."""

    made: int
    folder: str


def write(root: Path, last: LastBackup) -> None:
    """Raises StorageFailed."""
    text = json.dumps({"made": last.made, "folder": last.folder}, ensure_ascii=True)
    durable.replace(root / FILE, text.encode("ascii") + b"\n", mode=durable.OWN)


def read(root: Path) -> LastBackup | None:
    """None when none was ever made, or when it cannot be told."""
    try:
        value = json.loads((root / FILE).read_bytes())
        return LastBackup(int(value["made"]), str(value["folder"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
