"""Stretches of sources that an answer may rest on, as they are kept with it.

What follows on one another in a file is one excerpt, so that the model reads what two passages
share once, and a page can show them as one stretch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Self

from webapp.chat.kept_values import flag, number, word
from webapp.chat.messages import is_id

# Between two passages nothing but white space is left out, and never much of it.
_WIDEST_GAP: Final = 64
_LONGEST_OVERLAP: Final = 1024
_SHORTEST_OVERLAP: Final = 8


@dataclass(frozen=True)
class Excerpt:
    """`text` is what stands in the file's text at `start` to `end`, which are equal where that is
    not known. `order` and `last_order` count passages in the file, -1 for not known. `score` is
    None where it was read for its place; `by` tells how it was come by. `project` names the project
    that shares the file. A page of the web has an `address` and no file. `whole`: all of the file
    was sent, and its text stands elsewhere. What was said in another thread has that `thread`, the
    title of which is its file, and its message's `id`. `columns` is the header row of its table,
    where `text` begins further down."""

    id: str = ""
    file_id: str = ""
    file: str = ""
    place: str = ""
    order: int = -1
    last_order: int = -1
    score: float | None = None
    by: str = ""
    text: str = ""
    start: int = 0
    end: int = 0
    project: str = ""
    project_id: str = ""
    address: str = ""
    whole: bool = False
    thread: str = ""
    columns: str = ""

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Stored files come from elsewhere too, so nothing in them is trusted."""
        file_id, project_id, score = data.get("file_id"), data.get("project_id"), data.get("score")
        thread = data.get("thread")
        order = int(number(data.get("order"))) if data.get("order") != -1 else -1
        return cls(
            id=word(data.get("id")),
            file_id=str(file_id) if is_id(file_id) else "",
            file=word(data.get("file")) or "A file",
            place=word(data.get("place")),
            order=order,
            last_order=max(order, int(number(data.get("last_order")))) if order >= 0 else -1,
            score=None if score is None else number(score),
            by=word(data.get("by")),
            text=word(data.get("text")),
            start=int(number(data.get("start"))),
            end=int(number(data.get("end"))),
            project=word(data.get("project")),
            project_id=str(project_id) if is_id(project_id) else "",
            address=word(data.get("address")),
            whole=flag(data.get("whole")),
            thread=str(thread) if is_id(thread) else "",
            columns=word(data.get("columns")),
        )

    def to_data(self) -> dict[str, Any]:
        """As JSON; what is seldom there only where it is."""
        every = {each.name: getattr(self, each.name) for each in fields(Excerpt)}
        seldom = {"address", "whole", "thread", "columns"}
        return {key: value for key, value in every.items() if value or key not in seldom}

    @property
    def identity(self) -> tuple[str, str, str]:
        """Equal for the same passage, however it was come by."""
        return self.file_id, self.address, self.id or self.text

    @property
    def is_placed(self) -> bool:
        """Whether it is known where in the file's text it stands."""
        return self.end > self.start


Placed = Callable[[Sequence[Excerpt]], str]
"""Where several excerpts stand that become one, in a reader's words."""


def from_to(row: Sequence[Excerpt]) -> str:
    places = list(dict.fromkeys(each.place for each in row if each.place))
    return " – ".join(places if len(places) < 3 else (places[0], places[-1]))


def merged(excerpts: Sequence[Excerpt], placed: Placed = from_to) -> tuple[Excerpt, ...]:
    """Each stretch once, neighbours as one, in the order of the best of each."""
    rows: list[list[tuple[int, Excerpt]]] = []
    for ranked in sorted(enumerate(_once(excerpts)), key=_position):
        if rows and _follow(rows[-1], ranked[1]):
            rows[-1].append(ranked)
        else:
            rows.append([ranked])
    rows.sort(key=lambda row: min(rank for rank, _ in row))
    return tuple(_joined([each for _, each in row], placed) for row in rows)


# --- inside ---


def _once(excerpts: Sequence[Excerpt]) -> list[Excerpt]:
    seen: set[tuple[object, ...]] = set()
    found = []
    for each in excerpts:
        source = each.file_id or each.address
        span = (each.start, each.end) if each.is_placed else (each.text,)
        keys = {(source, *span)} | ({(source, "id", each.id)} if each.id else set())
        if not keys & seen:
            found.append(each)
        seen |= keys
    return found


def _position(ranked: tuple[int, Excerpt]) -> tuple[str, str, int, int, int]:
    rank, each = ranked
    return each.file_id, each.address, each.order, each.start, rank


def _follow(row: Sequence[tuple[int, Excerpt]], new: Excerpt) -> bool:
    last = row[-1][1]
    if not new.file_id or last.file_id != new.file_id or last.is_placed != new.is_placed:
        return False
    behind = new.start - max(each.end for _, each in row)
    if new.order == last.order == -1:
        return new.is_placed and behind < 0
    follows = new.order == last.order + 1 and new.start >= last.start
    return follows and behind <= _WIDEST_GAP


def _joined(row: Sequence[Excerpt], placed: Placed) -> Excerpt:
    if len(row) == 1:
        return row[0]
    scores = [each.score for each in row if each.score is not None]
    best = max(row, key=lambda each: -1 if each.score is None else each.score)
    found = replace(
        row[0],
        place=placed(row),
        last_order=row[-1].last_order,
        score=max(scores, default=None),
        by=best.by,
    )
    for each in row[1:]:
        found = _longer(found, each)
    return found


def _longer(found: Excerpt, more: Excerpt) -> Excerpt:
    """White space that was left out between the two is put in, so that places in the text stay."""
    if not found.is_placed:
        return replace(found, text=_overlapped(found.text, more.text))
    gap = "\n".ljust(more.start - found.end) if more.start > found.end else ""
    new = more.text[max(0, found.end - more.start) :]
    end = max(found.end, more.end)
    return replace(found, text=found.text + gap + new, end=end)


def _overlapped(first: str, second: str) -> str:
    """What the end of one and the beginning of the other share is there once."""
    for length in range(min(len(first), len(second), _LONGEST_OVERLAP), _SHORTEST_OVERLAP - 1, -1):
        if first.endswith(second[:length]):
            return first + second[length:]
    return f"{first}\n{second}"
