"""Attachments whose text stands in the message itself (`metadata.inline_file_contents`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webapp.chat.messages import Message


@dataclass(frozen=True)
class InlinedFile:
    """An attachment that is sent whole with its message."""

    name: str
    content: str


def inlined_files(message: Message) -> tuple[InlinedFile, ...]:
    """Those with text, in order; anything that is no such file is passed over."""
    found = message.metadata.get("inline_file_contents")
    if not isinstance(found, list):
        return ()
    files = (_file(each) for each in found if isinstance(each, Mapping))
    return tuple(file for file in files if file.content.strip())


def block(file: InlinedFile) -> str:
    """What the model is sent of it: a header with its name, then its text."""
    return f"File: {file.name}\n{file.content}" if file.name else file.content


def file_names(message: Message) -> tuple[str, ...]:
    """Names of all files that came with a message, inlined or not, each once."""
    names: dict[str, None] = {}
    for key in ("inline_file_contents", "attachments", "files"):
        found = message.metadata.get(key)
        for each in found if isinstance(found, list) else ():
            name = each.get("name") if isinstance(each, Mapping) else None
            if isinstance(name, str) and name.strip():
                names[" ".join(name.split())] = None
    return tuple(names)


def _file(value: Mapping[str, object]) -> InlinedFile:
    name, content = value.get("name"), value.get("content")
    return InlinedFile(
        " ".join(name.split()) if isinstance(name, str) else "",
        content if isinstance(content, str) else "",
    )
