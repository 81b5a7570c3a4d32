"""Everything of a person as JSON without loss: what this program reads back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from webapp.archives import thread_json
from webapp.archives.stock import Stock, of_nobody, original, without_secrets
from webapp.archives.zip_stream import Entry
from webapp.chat.assistant import Assistant
from webapp.chat.assistant_migrations import CURRENT
from webapp.chat.messages import Message, Thread
from webapp.documents.file_facts import FileFacts, to_json
from webapp.documents.names import safe_name
from webapp.documents.scope import Scope
from webapp.errors import BadInput
from webapp.threads import exact
from webapp.threads.projects import Project

MANIFEST: Final = "strata.json"
FORMAT: Final = "strata-archive"
VERSION: Final = 1
PROJECT_FORMAT: Final = "strata-project"


class AsJson:
    """`threads/<id>.json`, `projects/<id>.json`, `assistants/<id>.json`, and the files of a thread
    or project below `files/threads/<id>/<file id>/` or `files/projects/<id>/<file id>/`."""

    def __init__(self, stock: Stock, *, with_files: bool) -> None:
        self._stock = stock
        self._with_files = with_files

    def beginning(self) -> Iterator[Entry]:
        about = {"format": FORMAT, "version": VERSION, "assistants_version": CURRENT}
        yield Entry(MANIFEST, 0, [encoded(about)])

    def assistant(self, assistant: Assistant) -> Iterator[Entry]:
        data = encoded(without_secrets(assistant.data))
        yield Entry(f"assistants/{assistant.id}.json", 0, [data])

    def project(self, project: Project) -> Iterator[Entry]:
        scope, known = self._stock.files_of_project(project.id)
        value = {
            "format": PROJECT_FORMAT,
            "version": VERSION,
            "project": without_secrets(of_nobody(project.data)),
            "files": [to_json(each) for each in known],
        }
        yield Entry(f"projects/{project.id}.json", 0, [encoded(value)])
        yield from self._files(f"files/projects/{project.id}", scope, known)

    def thread(self, thread: Thread, messages: Sequence[Message]) -> Iterator[Entry]:
        scope, known = self._stock.files_of_thread(thread.id)
        pieces = thread_json.pieces(_told(thread), messages, [to_json(each) for each in known])
        yield Entry(f"threads/{thread.id}.json", thread.updated * 1000, pieces)
        yield from self._files(f"files/threads/{thread.id}", scope, known)

    def _files(self, at: str, scope: Scope, known: Sequence[FileFacts]) -> Iterator[Entry]:
        for each in known if self._with_files else ():
            name = f"{at}/{each.id}/{safe_name(each.name)}"
            yield Entry(name, each.added_ms, original(scope, each.id), each.size)


def encoded(value: Mapping[str, Any]) -> bytes:
    """Raises BadInput for what is nested too deeply."""
    try:
        return exact.encoded(exact.dumps(value)) + b"\n"
    except ValueError:
        raise BadInput("It is nested too deeply to be written.") from None


def _told(thread: Thread) -> Thread:
    """The snapshot of an assistant that another program made may hold what opens a door."""
    snapshots = thread.data.get("assistants")
    if without_secrets(snapshots) == snapshots:
        return thread
    return thread.with_fields(assistants=without_secrets(snapshots))
