"""What one person has, to be taken along: threads with their files, projects, assistants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from webapp import durable
from webapp.chat.assistant import Assistant
from webapp.chat.assistant_migrations import migrated
from webapp.chat.messages import Message, Thread
from webapp.documents import files
from webapp.documents.file_facts import FileFacts
from webapp.documents.scope import Scope, project_scope, thread_scope
from webapp.errors import StrataError
from webapp.threads import assistant_files
from webapp.threads.ownership import OWNER, SHARES
from webapp.threads.projects import Project
from webapp.threads.store import DamagedThread

_PIECE: Final = 1 << 18
_KEYS: Final = ("api_key", "apikey", "access_token", "refresh_token", "auth_token", "bearer")
_SECRET: Final = frozenset(
    (*_KEYS, "secret", "client_secret", "password", "authorization", "credentials")
)


@dataclass(frozen=True)
class Stock:
    """`whole` gives a thread and all its messages. `data` is where the files are. `unread` are
    sentences about what cannot come along."""

    threads: Sequence[Thread | DamagedThread]
    whole: Callable[[str], tuple[Thread, list[Message]]]
    data: Path
    projects: Sequence[Project] = ()
    assistants: Sequence[Assistant] = ()
    unread: Sequence[str] = ()

    def files_of_thread(self, thread_id: str) -> tuple[Scope, list[FileFacts]]:
        """Raises NotFound for no id, StorageFailed."""
        scope = thread_scope(self.data, thread_id)
        return scope, files.load(scope)

    def files_of_project(self, project_id: str) -> tuple[Scope, list[FileFacts]]:
        """The same."""
        scope = project_scope(self.data, project_id)
        return scope, files.load(scope)


def made_assistants(data: Path) -> tuple[list[Assistant], list[str]]:
    """Those that somebody made or changed, as they are kept today, and sentences about those that
    cannot be read. Raises StorageFailed."""
    found, unread = [], []
    was = assistant_files.version(data)
    for folder in assistant_files.folders(data):
        try:
            found.append(Assistant(migrated(assistant_files.load(folder).data, was)))
        except StrataError as error:
            unread.append(str(error))
    return found, unread


def original(scope: Scope, file_id: str) -> Iterator[bytes]:
    """The bytes of a file as it came. Raises NotFound before the first, StorageFailed."""
    path = files.original(scope, file_id)
    with durable.reading(path), path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            yield piece


def of_nobody(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Without whose it is and with whom it is shared."""
    return {name: value for name, value in fields.items() if name not in (OWNER, SHARES)}


def without_secrets(value: Any) -> Any:
    """Without what other programs keep to get in somewhere: it is nobody's but theirs."""
    if isinstance(value, Mapping):
        kept = (name for name in value if str(name).lower().replace("-", "_") not in _SECRET)
        return {name: without_secrets(value[name]) for name in kept}
    if isinstance(value, list):
        return [without_secrets(each) for each in value]
    return value
