"""Values of search: passages as they are kept, and as they are found.

Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from webapp.chat.messages import is_id
from webapp.documents.document import Place
from webapp.errors import BadInput

Found = Literal["meaning", "words", "order"]


@dataclass(frozen=True)
class StoredPassage:
    """`text` is what stands in the document at `start` to `end`; `order` counts in its file."""

    id: str
    file_id: str
    order: int
    text: str
    start: int
    end: int
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Hit:
    """A passage with its cosine to the question; of a search for words `rank` says how many are
    in common, without a bound."""

    passage: StoredPassage
    cosine: float
    rank: float = 0.0


@dataclass(frozen=True)
class Passage(StoredPassage):
    """A passage that answers a question. `score` is 0 to 1, 1 best.

    `by` tells what it measures. "meaning": the cosine (also given) on the model's scale. "words":
    the rank of the words in common, in parts of the best passage's; there is no cosine then.
    "order": it was read for its place, and the score measures nothing."""

    file_name: str = ""
    score: float = 0.0
    cosine: float | None = None
    by: Found = "meaning"


def passage_id(file_id: str, order: int) -> str:
    return f"{file_id}-{order}"


def thread_table(thread_id: str) -> str:
    """The table of a thread's own files."""
    return _table("attachments", thread_id)


def project_table(project_id: str) -> str:
    """The table of the files that all threads of a project share."""
    return _table("project", project_id)


def _table(kind: str, id: str) -> str:
    if not is_id(id):
        raise BadInput(
            "This is not an address of files.", do="Go back to the list and open it again."
        )
    return f"{kind}_{id}"
