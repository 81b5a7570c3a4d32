"""Everything of a person as Markdown, to read: a thread is a text, its files lie in a folder
beside it, and what is in a project is in a folder of its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from webapp.archives.file_names import Taken, named_after
from webapp.archives.markdown_ends import closed
from webapp.archives.stock import Stock, original
from webapp.archives.zip_stream import Entry
from webapp.chat.assistant import Assistant
from webapp.chat.messages import Message, Thread
from webapp.chat.thread_markdown import FileNamed, Told
from webapp.chat.tree import Tree
from webapp.documents.file_facts import FileFacts
from webapp.documents.scope import Scope
from webapp.moments import long_date
from webapp.threads.projects import Project, project_id_of

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
Writer = Callable[[Told], Iterator[str]]


class AsMarkdown:
    """`write` is `shown_path` or `every_version`."""

    def __init__(self, stock: Stock, write: Writer, *, with_files: bool) -> None:
        self._stock = stock
        self._write = write
        self._with_files = with_files
        self._names: dict[str, Taken] = {"": Taken()}
        self._folders: dict[str, str] = {}

    def beginning(self) -> Iterator[Entry]:
        return iter(())

    def assistant(self, assistant: Assistant) -> Iterator[Entry]:
        name = self._own("Assistants/", assistant.name, ".md")
        yield Entry(name, 0, [_page(assistant.name, assistant.instructions)])

    def project(self, project: Project) -> Iterator[Entry]:
        folder = self._own("", project.name, "") + "/"
        self._folders[project.id] = folder
        scope, known = self._stock.files_of_project(project.id)
        name = self._own(folder, "About this project", ".md")
        yield Entry(name, 0, [_page(project.name, project.instructions)])
        yield from self._files(scope, self._places(known, f"{folder}Files/"))

    def thread(self, thread: Thread, messages: Sequence[Message]) -> Iterator[Entry]:
        folder = self._folders.get(project_id_of(thread) or "", "")
        name = self._own(folder, thread.title, ".md")
        scope, known = self._stock.files_of_thread(thread.id)
        places = self._places(known, f"{name.removesuffix('.md')} files/")
        beside = [(each, at.removeprefix(folder)) for each, at in places]
        named = tuple(FileNamed(each.name, each.size, at) for each, at in beside)
        told = Told(thread, Tree(messages, thread.active_root_id), long_date, closed, named)
        yield Entry(name, thread.updated * 1000, map(_utf8, self._write(told)))
        yield from self._files(scope, places)

    def _own(self, folder: str, title: str, suffix: str) -> str:
        return folder + self._names.setdefault(folder, Taken()).own(named_after(title, suffix))

    def _places(self, known: Sequence[FileFacts], folder: str) -> list[tuple[FileFacts, str]]:
        """Where each file is put; nowhere if they do not come along."""
        if not self._with_files:
            return [(each, "") for each in known]
        return [(each, self._own(folder, each.name, "")) for each in known]

    def _files(self, scope: Scope, places: Sequence[tuple[FileFacts, str]]) -> Iterator[Entry]:
        for each, at in places:
            if at:
                yield Entry(at, each.added_ms, original(scope, each.id), each.size)


def _page(title: str, text: str) -> bytes:
    return _utf8(f"# {' '.join(title.split()) or 'Untitled'}\n\n{text.strip()}\n")


def _utf8(text: str) -> bytes:
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text).encode()
