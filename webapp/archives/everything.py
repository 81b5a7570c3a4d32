"""All that one person has, as one zip, written while it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, get_args

from webapp.archives.as_jan import AsJan
from webapp.archives.as_json import AsJson
from webapp.archives.as_markdown import AsMarkdown
from webapp.archives.stock import Stock
from webapp.archives.zip_stream import Entry, zipped
from webapp.chat.assistant import Assistant
from webapp.chat.messages import Message, Thread
from webapp.chat.thread_markdown import every_version, shown_path
from webapp.errors import StrataError
from webapp.threads.projects import Project

Form = Literal["json", "shown", "versions", "jan"]
FORMS: Final[tuple[Form, ...]] = get_args(Form)
LEFT_BEHIND: Final = "left-behind.txt"


class Writing(Protocol):
    """How each thing is written. Each may raise a StrataError before its first entry."""

    def beginning(self) -> Iterator[Entry]: ...

    def assistant(self, assistant: Assistant) -> Iterator[Entry]: ...

    def project(self, project: Project) -> Iterator[Entry]: ...

    def thread(self, thread: Thread, messages: Sequence[Message]) -> Iterator[Entry]: ...


@dataclass
class Progress:
    """What was written so far, of how much; `left` are sentences about what could not be."""

    total: int = 0
    threads: int = 0
    messages: int = 0
    left: list[str] = field(default_factory=list)


def everything(
    stock: Stock,
    form: Form,
    *,
    with_files: bool,
    heard: Callable[[Progress], None],
) -> Iterator[bytes]:
    """The bytes of the zip. `heard` is told first, and after each thread. What cannot be read stops
    nothing: it is named in `left-behind.txt`, at the end of the zip."""
    taken = Progress(len(stock.threads), left=list(stock.unread))
    writing = _writing(stock, form, with_files=with_files)
    return zipped(_entries(stock, writing, taken, heard))


def _writing(stock: Stock, form: Form, *, with_files: bool) -> Writing:
    match form:
        case "json":
            return AsJson(stock, with_files=with_files)
        case "jan":
            return AsJan(stock, with_files=with_files)
        case "shown":
            return AsMarkdown(stock, shown_path, with_files=with_files)
        case "versions":
            return AsMarkdown(stock, every_version, with_files=with_files)


def _entries(
    stock: Stock, writing: Writing, taken: Progress, heard: Callable[[Progress], None]
) -> Iterator[Entry]:
    heard(taken)
    yield from writing.beginning()
    for assistant in stock.assistants:
        yield from _whole(assistant.name, writing.assistant(assistant), taken)
    for project in stock.projects:
        yield from _whole(project.name, writing.project(project), taken)
    for row in stock.threads:
        name = (row.title if isinstance(row, Thread) else "") or row.id
        yield from _whole(name, _of_thread(stock, writing, row.id, taken), taken)
        heard(taken)
    if taken.left:
        yield Entry(LEFT_BEHIND, 0, ("\n".join([*taken.left, ""]).encode("utf-8", "replace"),))


def _of_thread(stock: Stock, writing: Writing, thread_id: str, taken: Progress) -> Iterator[Entry]:
    thread, messages = stock.whole(thread_id)
    yield from writing.thread(thread, messages)
    taken.threads += 1
    taken.messages += len(messages)


def _whole(name: str, entries: Iterable[Entry], taken: Progress) -> Iterator[Entry]:
    """Each entry with its first bytes at hand: one that cannot be read is not begun. One that
    breaks off is ended there, and named."""
    waiting = iter(entries)
    while True:
        try:
            entry = next(waiting, None)
            if entry is None:
                return
            pieces = iter(entry.pieces)
            first = next(pieces, b"")
        except StrataError as error:
            taken.left.append(f"{name}: {error}")
            continue  # a generator that raised has ended; a file that is gone is but one of them
        yield Entry(entry.name, entry.at, _until_broken(name, first, pieces, taken), entry.size)


def _until_broken(
    name: str, first: bytes, pieces: Iterator[bytes], taken: Progress
) -> Iterator[bytes]:
    try:
        yield first
        yield from pieces
    except StrataError as error:
        taken.left.append(f"{name}: {error} It is incomplete in the zip.")
