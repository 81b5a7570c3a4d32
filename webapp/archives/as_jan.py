"""Everything of a person as a data folder of Jan: `thread.json` and `messages.jsonl` a thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webapp.archives.as_json import encoded
from webapp.archives.file_names import Taken
from webapp.archives.stock import Stock, of_nobody, original, without_secrets
from webapp.archives.zip_stream import Entry
from webapp.chat.assistant import Assistant
from webapp.chat.assistant_migrations import CURRENT
from webapp.chat.authors import unsigned
from webapp.chat.messages import Message, Thread
from webapp.chat.records import Put
from webapp.documents.names import safe_name
from webapp.threads import log
from webapp.threads.assistant_files import FILE, FOLDER, MARKER
from webapp.threads.folders import ABOUT, LOG
from webapp.threads.projects import LINK, Project


class AsJan:
    """Jan knows no files of a thread: they lie beside it, where Jan leaves them alone."""

    def __init__(self, stock: Stock, *, with_files: bool) -> None:
        self._stock = stock
        self._with_files = with_files

    def beginning(self) -> Iterator[Entry]:
        """Nobody brings these assistants up to date a second time."""
        yield Entry(f"{FOLDER}/{MARKER}", 0, [b"%d\n" % CURRENT])

    def assistant(self, assistant: Assistant) -> Iterator[Entry]:
        data = encoded(without_secrets(assistant.data))
        yield Entry(f"{FOLDER}/{assistant.id}/{FILE}", 0, [data])

    def project(self, project: Project) -> Iterator[Entry]:
        """Jan has nothing that would be one."""
        del project
        return iter(())

    def thread(self, thread: Thread, messages: Sequence[Message]) -> Iterator[Entry]:
        scope, known = self._stock.files_of_thread(thread.id)
        at, when = f"threads/{thread.id}", thread.updated * 1000
        fields = {**thread.data, "metadata": of_nobody(thread.without_metadata(LINK).metadata)}
        yield Entry(f"{at}/{ABOUT}", when, [encoded(without_secrets(fields))])
        yield Entry(
            f"{at}/{LOG}", when, (log.body_of(Put(unsigned(each))) + b"}\n" for each in messages)
        )
        names = Taken()
        for each in known if self._with_files else ():
            name = f"{at}/files/{names.own(safe_name(each.name))}"
            yield Entry(name, each.added_ms, original(scope, each.id), each.size)
