"""One small JSON file of ours, kept from other users of the machine and replaced whole."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from webapp import durable
from webapp.errors import Damaged

_Stamp = tuple[int, int, int]


class JsonFile:
    """Reads again only what another program changed. Not safe for threads: who uses it holds a
    lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[_Stamp | None, dict[str, Any]] | None = None

    def read(self) -> dict[str, Any]:
        """Empty when there is no file. Raises Damaged, or StorageFailed."""
        with durable.reading(self.path):
            stamp = self._stamp()
            if self._seen is None or self._seen[0] != stamp:
                data = self.path.read_bytes() if stamp else b"{}"
                self._seen = stamp, self._parsed(data)
        return self._seen[1]

    def write(self, value: dict[str, Any]) -> None:
        """Durable. Raises StorageFailed with the old one in place."""
        data = json.dumps(value, ensure_ascii=True, indent=1).encode() + b"\n"
        with durable.saving(self.path):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        durable.replace(self.path, data, mode=durable.OWN)
        self._seen = None
        with durable.reading(self.path):
            self._seen = self._stamp(), json.loads(data)

    def _stamp(self) -> _Stamp | None:
        try:
            stat = os.stat(self.path)  # noqa: PTH116 - asked with each request
        except FileNotFoundError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def _parsed(self, data: bytes) -> dict[str, Any]:
        try:
            value = json.loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise Damaged(
                f"{self.path} is damaged, so nobody can sign in.",
                do="Put back a copy of it, or move it away to start afresh.",
            )
        return value
