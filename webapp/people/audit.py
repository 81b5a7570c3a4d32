"""Who did what, and when: lines for the owner to read. Never what was said or written."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from webapp import durable
from webapp.errors import StorageFailed

LARGEST_BYTES: Final = 1_000_000
LONGEST: Final = 200

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Line:
    """`at` in milliseconds since 1970; `who` is a person's id, empty for a stranger; `thing` is an
    id, or empty."""

    at: int
    who: str
    what: str
    thing: str = ""
    address: str = ""


class AuditLog:
    """In `path`, and one older file beside it: no more than twice LARGEST_BYTES. Calls may come
    from any thread."""

    def __init__(self, path: Path, clock_ms: Callable[[], int]) -> None:
        self._path = path
        self._clock_ms = clock_ms
        self._lock = threading.Lock()

    def note(self, who: str, what: str, thing: str = "", address: str = "") -> None:
        """Flushed. A disk that refuses the line does not undo the act; the server's log says so."""
        words = {"who": who, "what": what, "thing": thing, "address": address}
        line = {"at": self._clock_ms(), **{key: each[:LONGEST] for key, each in words.items()}}
        data = json.dumps(line, ensure_ascii=True).encode() + b"\n"
        try:
            with self._lock:
                self._make_room(len(data))
                durable.append(self._path, data, durable=False, mode=durable.OWN)
        except StorageFailed as error:
            log.warning("%s", error)

    def latest(self, count: int) -> list[Line]:
        """Newest first. Lines that cannot be read are passed over."""
        found: list[Line] = []
        with self._lock:
            for path in (self._path, self._older):
                if len(found) < count:
                    found += reversed(_lines(path))
        return found[:count]

    @property
    def _older(self) -> Path:
        return self._path.with_name(f"{self._path.stem}.older{self._path.suffix}")

    def _make_room(self, size: int) -> None:
        with durable.saving(self._path):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._path.exists() and self._path.stat().st_size + size > LARGEST_BYTES:
                self._path.replace(self._older)


def _lines(path: Path) -> list[Line]:
    with suppress(FileNotFoundError, OSError):
        raw = path.read_text("utf-8", "replace").splitlines()
        return [line for each in raw if (line := _line(each)) is not None]
    return []


def _line(text: str) -> Line | None:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, Mapping) or type(value.get("at")) is not int:
        return None
    words = {key: value.get(key) for key in ("who", "what", "thing", "address")}
    return Line(
        value["at"], **{key: each if isinstance(each, str) else "" for key, each in words.items()}
    )
