"""Who has seen enough of the first steps: a list of ids, in one file of the data directory."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Final

from webapp.errors import StrataError
from webapp.people.json_file import JsonFile

log = logging.getLogger(__name__)

FILE: Final = "welcomed.json"
_ALL: Final = "people"


class Welcome:
    """The first steps are a help: they are left out when the file cannot be read, and come again
    when it cannot be written."""

    def __init__(self, data: Path) -> None:
        self._file = JsonFile(data / FILE)
        self._lock = threading.Lock()

    def is_over(self, person: str) -> bool:
        """For this person; the empty id is that of a Strata that is not shared."""
        with self._lock:
            try:
                return person in self._over()
            except StrataError as error:
                log.warning("first steps are not shown: %s", error)
                return True

    def end(self, person: str) -> None:
        """For good."""
        with self._lock:
            try:
                over = self._over()
                if person not in over:
                    self._file.write({_ALL: [*over, person]})
            except StrataError as error:
                log.warning("that first steps are over was not kept: %s", error)

    def _over(self) -> list[str]:
        kept = self._file.read().get(_ALL)
        return [each for each in kept if isinstance(each, str)] if isinstance(kept, list) else []
