"""Passages as they are put before a question, and as they are kept with its answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webapp.chat.excerpts import Excerpt
from webapp.chat.excerpts import merged as joined
from webapp.chat.messages import Message
from webapp.documents.document import describe, head_above
from webapp.documents.passages import Passage
from webapp.generation.sources import whole_files

HEADING: Final = "Passages from the attached files that may help with the question that follows:"
LISTING: Final = "The files attached to this conversation:"


@dataclass(frozen=True)
class Retrieved:
    """What files add to an answer. `text` is put before the question; `excerpts` and `trace` (one
    object for each call of a tool) are kept with the answer."""

    text: str = ""
    excerpts: tuple[Excerpt, ...] = ()
    trace: tuple[dict[str, Any], ...] = ()

    def record(self, sent: Iterable[Message]) -> dict[str, Any]:
        """To be kept in the usage of the answer, which files in `sent` messages helped too."""
        every = (*self.excerpts, *whole_files(sent))
        numbered = [{"n": n, **each.to_data()} for n, each in enumerate(every, start=1)]
        kept = {"passages": numbered, "trace": list(self.trace)}
        return {key: value for key, value in kept.items() if value}


def merged(passages: Sequence[Passage]) -> tuple[Excerpt, ...]:
    """In the order of the best passage of each excerpt."""
    places = {each.id: each.places for each in passages}

    def placed(row: Sequence[Excerpt]) -> str:
        return describe([place for each in row for place in places[each.id]])

    return joined([_excerpt(each) for each in passages], placed)


def shown(excerpts: Sequence[Excerpt]) -> str:
    """As the model reads them; empty for none."""
    if not excerpts:
        return ""
    return "\n\n".join([HEADING, *map(_block, excerpts)])


def listed(names: Sequence[str]) -> str:
    return "\n".join([LISTING, *(f"- {name}" for name in names)])


def _block(excerpt: Excerpt) -> str:
    where = ", ".join(filter(None, [excerpt.file, excerpt.place]))
    head = f"Columns: {excerpt.columns}" if excerpt.columns else ""
    return "\n".join(filter(None, [f"[{where}]", head, excerpt.text.strip()]))


def _excerpt(passage: Passage) -> Excerpt:
    return Excerpt(
        id=passage.id,
        file_id=passage.file_id,
        file=passage.file_name,
        place=describe(passage.places),
        order=passage.order,
        last_order=passage.order,
        score=None if passage.by == "order" else round(passage.score, 4),
        by=passage.by,
        text=passage.text,
        start=passage.start,
        end=passage.end,
        columns=head_above(passage.places, passage.text),
    )
