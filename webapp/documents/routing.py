"""How the model gets to know a file: its whole text with the message, or passages found in it.

Pure. The whole is more exact, passages are cheaper: a file that fits is sent whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

# What a person may want; "ask" leaves it open until they are asked about the file.
Use = Literal["auto", "inline", "embeddings", "ask"]
Route = Literal["inline", "embeddings", "ask"]

RATIO: Final = 0.75


@dataclass(frozen=True)
class Candidate:
    """A file to be sent. `tokens` is what its text takes with its header, None when it has none
    (it could not be read, or not yet); `choice` is what a person chose for this file."""

    id: str
    tokens: int | None
    choice: Use | None = None
    in_project: bool = False


def route(file: Candidate, use: Use, free_tokens: int) -> Route:
    """`use` is the setting; `free_tokens` is the part of the window that nothing else needs.

    Files of a project are always searched. So are those without text: what they are refused for
    is said there. "auto" sends what takes less than three quarters of the free tokens."""
    if file.in_project or file.tokens is None:
        return "embeddings"
    wanted = file.choice or use
    if wanted != "auto":
        return wanted
    return "inline" if file.tokens < RATIO * free_tokens else "embeddings"


def routes(files: Iterable[Candidate], use: Use, free_tokens: int) -> dict[str, Route]:
    """The same for all files of one message, in order: what one takes is gone for the next."""
    found: dict[str, Route] = {}
    for file in files:
        found[file.id] = route(file, use, free_tokens)
        if found[file.id] == "inline":
            free_tokens -= file.tokens or 0
    return found
