"""A conversation as Markdown that other programs show too: a heading for each message says who
speaks, and its words stand as they were written. Pure: what needs a clock, a file or a parser is
an argument."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from webapp.chat.authors import author
from webapp.chat.branches import is_starred, name_of
from webapp.chat.citations import kept_excerpts
from webapp.chat.inlined import file_names
from webapp.chat.messages import Message, Thread
from webapp.chat.summary import summary_at
from webapp.chat.thinking import split
from webapp.chat.tree import Tree
from webapp.chat.wording import clean

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_SIGNS: Final = re.compile(r"([\\`*_\[\]<>#|~&!{}])")
_TICKS: Final = re.compile(r"`+")


@dataclass(frozen=True)
class FileNamed:
    """A file of the thread; `at` is where it lies beside the text, empty when it does not."""

    name: str
    size: int
    at: str = ""


@dataclass(frozen=True)
class Told:
    """`moment` puts milliseconds since 1970 into words. `closed` makes a text one after which a
    heading is a heading, whatever code or HTML was left open in it."""

    thread: Thread
    tree: Tree
    moment: Callable[[float], str]
    closed: Callable[[str], str]
    files: tuple[FileNamed, ...] = ()
    speaker: Callable[[Message], str] = author


def shown_path(told: Told) -> Iterator[str]:
    """The conversation as it is shown: the active path. In pieces, which are blocks."""
    yield from _head(told)
    for number, id in enumerate(told.tree.active_path(), 1):
        yield from _message(told, id, number, "")


def every_version(told: Told) -> Iterator[str]:
    """All versions, each followed by what came after it; where one goes on from an earlier
    message, it says from which. In pieces, which are blocks."""
    yield from _head(told)
    numbers: dict[str | None, int] = {}
    before: str | None = None
    waiting = list(reversed(told.tree.children(None)))
    while waiting:
        id = waiting.pop()
        parent = told.tree.parent(id)
        numbers[id] = len(numbers) + 1
        place = ""
        if parent != before:
            place = f"goes on from {numbers[parent]}" if parent in numbers else "begins anew"
        yield from _message(told, id, numbers[id], place)
        waiting.extend(reversed(told.tree.children(id)))
        before = id


def fenced(text: str, info: str = "") -> str:
    """`text` as a block of code, by a fence that no line of it can close."""
    ticks = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    return f"{ticks}{info}\n{text}\n{ticks}"


# --- inside ---


def _head(told: Told) -> Iterator[str]:
    thread = told.thread
    yield f"# {_plain(thread.title) or 'Untitled'}\n"
    begun, last = told.moment(thread.created * 1000), told.moment(thread.updated * 1000)
    if begun:
        yield f"\n*Begun {begun}{f', last asked {last}' if last not in ('', begun) else ''}*\n"
    if told.files:
        yield "\nFiles:\n\n"
        yield from (_file_line(file) for file in told.files)


def _file_line(file: FileNamed) -> str:
    name = _plain(file.name)
    shown = f"[{name}](<{file.at}>)" if file.at else name
    return f"- {shown}, {file.size:,} bytes\n"


def _message(told: Told, id: str, number: int, place: str) -> Iterator[str]:
    message = told.tree.message(id)
    versions = told.tree.siblings(id)
    which = f", version {versions.index(id) + 1} of {len(versions)}" if len(versions) > 1 else ""
    yield f"\n## {number}. {_plain(told.speaker(message))}{which}\n"
    facts = [told.moment(message.created_at), place, *_marks(told.tree, message, len(versions))]
    if any(facts):
        yield f"\n*{' · '.join(filter(None, facts))}*\n"
    yield from _words(told, message)
    yield from _beside(message)


def _marks(tree: Tree, message: Message, versions: int) -> Iterator[str]:
    if versions > 1 and tree.on_active_path(message.id):
        yield "the version that is shown"
    if name := name_of(message):
        yield f"branch “{_plain(name)}”"
    if is_starred(message):
        yield "starred"
    yield from (word for word in ("pinned", "muted") if message.metadata.get(word) is True)
    if message.status in ("stopped", "pending"):
        yield "not finished"


def _words(told: Told, message: Message) -> Iterator[str]:
    text = clean(message.text)
    if message.role == "tool":
        yield f"\n{fenced(text)}\n"
        return
    if message.role != "assistant":
        yield from _closed(told, text)
        return
    for part in split(text, finished=True):
        if part.kind == "thinking":
            yield _quoted(f"**Thoughts**\n\n{part.text.strip()}")
        else:
            yield from _closed(told, part.text)


def _closed(told: Told, text: str) -> Iterator[str]:
    words = text.strip("\r\n \t") and text.strip("\r\n")
    if words:
        yield f"\n{told.closed(words)}\n"


def _beside(message: Message) -> Iterator[str]:
    """What stands around the words on the page."""
    if message.error:
        yield _quoted(f"**Failed:** {_plain(message.error)}")
    if message.role == "user" and (names := file_names(message)):
        yield _quoted(f"**With it:** {', '.join(map(_plain, names))}")
    if sources := kept_excerpts(message):
        lines = (
            f"{number}. {', '.join(_plain(word) for word in (each.file, each.place) if word)}"
            for number, each in enumerate(sources, 1)
        )
        yield _quoted("\n".join(("**Sources**\n", *lines)))
    if summary := summary_at(message):
        lines = (f"- {_plain(line.text)}" for line in summary.lines)
        yield _quoted("\n".join(("**Notes on the conversation up to here**\n", *lines)))


def _quoted(text: str) -> str:
    """A block of its own, which ends with its last line whatever stands in it."""
    lines = (f"> {line}".rstrip() for line in _LINE_END.split(clean(text)))
    return "\n" + "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """On one line, and no sign in it means anything."""
    return _SIGNS.sub(r"\\\1", " ".join(clean(text).split()))
