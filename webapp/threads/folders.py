"""Where a thread's files are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from webapp.chat.messages import is_id
from webapp.errors import NotFound
from webapp.threads import durable

ABOUT: Final = "thread.json"
LOG: Final = "messages.jsonl"
HISTORY: Final = "history.jsonl"
DAMAGED: Final = "messages.damaged"


class Folders:
    """Paths under a data directory. Made once at the start: later a missing folder is a fault,
    not a reason to begin afresh."""

    def __init__(self, root: Path) -> None:
        self.threads = root / "threads"
        self.trash = root / "trash"
        with durable.saving(root):
            self.threads.mkdir(parents=True, exist_ok=True)
            self.trash.mkdir(exist_ok=True)

    def thread(self, thread_id: str) -> Path:
        """The folder of a thread, there or not. Raises NotFound for what is no id."""
        if not is_id(thread_id):
            raise not_found()
        return self.threads / thread_id

    def existing(self, thread_id: str) -> Path:
        """Raises NotFound, or StorageFailed when the folder of all threads is gone."""
        folder = self.thread(thread_id)
        with durable.reading(folder):
            if folder.is_dir():
                return folder
            self.threads.stat()
        raise not_found()


def not_found() -> NotFound:
    return NotFound("There is no such thread.", "Choose one from the list; it may be in the trash.")
