"""What comes in from elsewhere, as values: nothing is stored yet, and all ids are the source's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from webapp.chat.messages import Message, Thread, is_id
from webapp.documents.file_facts import FileFacts
from webapp.documents.files import Stream


@dataclass(frozen=True)
class FileCome:
    """Of `facts` only what a person sees of it counts; the rest is found out anew from the file."""

    facts: FileFacts
    size: int
    open: Callable[[], AbstractContextManager[Stream]]


@dataclass(frozen=True)
class ThreadCome:
    """`notes` are sentences about what of it cannot come along."""

    thread: Thread
    messages: tuple[Message, ...]
    files: tuple[FileCome, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProjectCome:
    fields: Mapping[str, Any]
    files: tuple[FileCome, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class AssistantCome:
    """Its fields as they are kept today."""

    id: str
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class DamagedCome:
    """What cannot come, by the name that a reader may know it by, and why."""

    name: str
    why: str


Come = ThreadCome | ProjectCome | AssistantCome | DamagedCome


@dataclass(frozen=True)
class Source:
    """`program` made it; `total` is how many threads there are, 0 if that is not known yet."""

    program: str
    read: Callable[[], Iterator[Come]]
    total: int = 0


def stable_id(*words: str) -> str:
    """The last word if it is an id alone; else one that is the same each time for these words."""
    if len(words) == 1 and is_id(words[0]):
        return words[0]
    joined = "\0".join(words).encode("utf-8", "backslashreplace")
    return f"i{hashlib.sha256(joined).hexdigest()[:31]}"
