"""Changes settings.toml as a person would: the lines meant, and nothing else.

Comments, order and blank lines stay. A file with a mistake somewhere can still be changed: then
only the line of the setting is touched. The result is read again before it is written.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError

from webapp.durable import reading, saving, sync_directory
from webapp.errors import Conflict
from webapp.settings import OLD_NAMES, read_toml

_ONLY_FOR_ITS_OWNER: Final = 0o600


class SettingsFile:
    """Of one data directory. Calls may come from any thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def change(self, values: Mapping[str, Any]) -> None:
        """All of `values` or none; None takes a setting out, so that its default holds. Raises
        Conflict for a file that cannot be changed without harm, StorageFailed."""
        with self._lock:
            path = self.path.resolve()  # the file that a link leads to
            text = self._read(path)
            changed = text
            for name, value in values.items():
                changed = _changed(changed, name, value)
            self._check(changed, values)
            if changed != text:
                _write(path, changed)

    def _read(self, path: Path) -> str:
        try:
            with reading(path):
                return path.read_bytes().decode("utf-8-sig") if path.exists() else ""
        except UnicodeDecodeError as error:
            raise self._cannot("it is not UTF-8 text") from error

    def _check(self, text: str, values: Mapping[str, Any]) -> None:
        """Whoever reads the file next finds what was saved."""
        found, _ = read_toml(text)
        for name, value in values.items():
            if found.get(name) != value or type(found.get(name)) is not type(value):
                raise self._cannot(f"{name} could not be put into it")

    def _cannot(self, why: str) -> Conflict:
        return Conflict(
            f"{self.path} was not changed: {why}.",
            do="Correct the file in a text editor, or move it away, and save again.",
        )


def _changed(text: str, name: str, value: Any) -> str:
    old = [known for known, new in OLD_NAMES.items() if new == name]
    try:
        return _in_document(text, name, value, old)
    except (TOMLKitError, ValueError, RecursionError):
        return _in_lines(text, name, value, old)


def _in_document(text: str, name: str, value: Any, old: list[str]) -> str:
    document = tomlkit.parse(text)
    for gone in old:
        document.pop(gone, None)
    if value is None:
        document.pop(name, None)
    elif name in document or not any(isinstance(each, dict) for each in document.values()):
        document[name] = value
    else:
        return _in_lines(text, name, value, old)
    return tomlkit.dumps(document)


def _in_lines(text: str, name: str, value: Any, old: list[str]) -> str:
    """The line that sets `name` is replaced or goes; a new one stands before the first table."""
    wanted = [] if value is None else [f"{name} = {tomlkit.item(value).as_string()}\n"]
    meant = re.compile(rf"\s*[\"']?({'|'.join([name, *old])})[\"']?\s*=")
    lines = [line if line.endswith("\n") else f"{line}\n" for line in text.splitlines(True)]
    at = next((n for n, line in enumerate(lines) if meant.match(line)), None)
    if at is None:
        tables = (n for n, line in enumerate(lines) if line.lstrip().startswith("["))
        at = next(tables, len(lines))
    kept = [line for line in lines[at:] if not meant.match(line)]
    return "".join([*lines[:at], *wanted, *kept])


def _write(path: Path, text: str) -> None:
    """Whole or not at all. What may hold a key is nobody else's to read."""
    beside = path.with_name(f"{path.name}.new")
    with saving(path):
        try:
            with suppress(FileNotFoundError):
                beside.unlink()
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _ONLY_FOR_ITS_OWNER)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
            sync_directory(path.parent)
        except OSError:
            with suppress(OSError):
                beside.unlink()
            raise
