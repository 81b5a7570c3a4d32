"""Passages as they are put before a question, and as they are kept with its answer.

Passages of one file that follow on one another are one excerpt, so that the model reads what they
share once and a page can show them as one stretch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from webapp.chat.messages import Message
from webapp.documents.document import describe
from webapp.documents.passages import Passage
from webapp.generation.sources import whole_files

HEADING: Final = "Passages from the attached files that may help with the question that follows:"
LISTING: Final = "The files attached to this conversation:"

# Between two passages nothing but white space is left out, and never much of it.
_WIDEST_GAP: Final = 64


@dataclass(frozen=True)
class Excerpt:
    """`text` is what stands in the file's text at `start` to `end`; `score` is None where it was
    read for its place; `project` names the project that shares the file, if one does."""

    id: str
    file_id: str
    file: str
    place: str
    order: int
    last_order: int
    score: float | None
    by: str
    text: str
    start: int
    end: int
    project: str = ""
    project_id: str = ""


@dataclass(frozen=True)
class Retrieved:
    """What files add to an answer. `text` is put before the question; `excerpts` and `trace` (one
    object for each call of a tool) are kept with the answer."""

    text: str = ""
    excerpts: tuple[Excerpt, ...] = ()
    trace: tuple[dict[str, Any], ...] = ()

    def record(self, sent: Iterable[Message]) -> dict[str, Any]:
        """To be kept in the usage of the answer, which files in `sent` messages helped too."""
        facts = [asdict(each) for each in self.excerpts] + whole_files(sent)
        numbered = [{"n": n, **each} for n, each in enumerate(facts, start=1)]
        kept = {"passages": numbered, "trace": list(self.trace)}
        return {key: value for key, value in kept.items() if value}


def merged(passages: Sequence[Passage]) -> tuple[Excerpt, ...]:
    """In the order of the best passage of each excerpt."""
    ranks = {passage.id: rank for rank, passage in reversed(list(enumerate(passages)))}
    rows: list[list[Passage]] = []
    for passage in sorted(passages, key=lambda each: (each.file_id, each.order)):
        if rows and _follows(rows[-1][-1], passage):
            rows[-1].append(passage)
        elif not (rows and rows[-1][-1].id == passage.id):
            rows.append([passage])
    rows.sort(key=lambda row: min(ranks[each.id] for each in row))
    return tuple(map(_excerpt, rows))


def shown(excerpts: Sequence[Excerpt]) -> str:
    """As the model reads them; empty for none."""
    if not excerpts:
        return ""
    blocks = (f"[{', '.join(filter(None, [e.file, e.place]))}]\n{e.text.strip()}" for e in excerpts)
    return "\n\n".join([HEADING, *blocks])


def listed(names: Sequence[str]) -> str:
    return "\n".join([LISTING, *(f"- {name}" for name in names)])


def _follows(last: Passage, passage: Passage) -> bool:
    return (
        last.file_id == passage.file_id
        and passage.order == last.order + 1
        and passage.start - last.end <= _WIDEST_GAP
    )


def _excerpt(row: Sequence[Passage]) -> Excerpt:
    best = max(row, key=lambda each: each.score)
    found = Excerpt(
        id=row[0].id,
        file_id=row[0].file_id,
        file=row[0].file_name,
        place=describe([place for each in row for place in each.places]),
        order=row[0].order,
        last_order=row[-1].order,
        score=None if best.by == "order" else round(best.score, 4),
        by=best.by,
        text=row[0].text,
        start=row[0].start,
        end=row[0].end,
    )
    for passage in row[1:]:
        found = _longer(found, passage)
    return found


def _longer(found: Excerpt, passage: Passage) -> Excerpt:
    """White space that was left out between the two is put in, so that places in the text stay."""
    gap = "\n".ljust(passage.start - found.end) if passage.start > found.end else ""
    new = passage.text[max(0, found.end - passage.start) :]
    end = max(found.end, passage.end)
    return replace(found, text=found.text + gap + new, end=end)
