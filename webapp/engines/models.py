"""Everything about model files that pages ask for, over one models folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from webapp.engines.catalog import Catalog
from webapp.engines.gguf_head import GgufHead, read_head
from webapp.engines.model_lane import ModelLane
from webapp.engines.shelf import Shelf
from webapp.engines.speed import Speeds
from webapp.errors import ModelFileMissing

SPEEDS: Final = "speeds.json"


@dataclass(frozen=True)
class Models:
    shelf: Shelf
    catalog: Catalog
    lane: ModelLane
    speeds: Speeds

    @classmethod
    def over(
        cls, folder: Path, catalog: Catalog, cache: Path, clock_ms: Callable[[], int]
    ) -> Models:
        shelf = Shelf(folder)
        return cls(shelf, catalog, ModelLane(shelf, catalog), Speeds(cache / SPEEDS, clock_ms))

    def close(self) -> None:
        self.lane.close()


def head_of(path: Path) -> GgufHead | None:
    """Read once for each state of the file; None when it cannot be read."""
    try:
        stat = path.stat()
        return _head(path, stat.st_mtime_ns, stat.st_size)
    except (OSError, ModelFileMissing):
        return None


@lru_cache(maxsize=64)
def _head(path: Path, _changed: int, _size: int) -> GgufHead:
    return read_head(path)
