"""What an answer's metadata says of its sources: passages, how they were looked for, and which
sentence rests on which. Stored files come from elsewhere too, so nothing in them is trusted.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webapp.chat.citations import kept_excerpts
from webapp.chat.excerpts import Excerpt
from webapp.chat.kept_values import flag, mappings, number, span, word
from webapp.chat.messages import Message
from webapp.chat.thinking import spoken

MOST = 1000  # of each kind; an answer has far fewer
AWAITED_SECONDS: Final = 180

Span = tuple[int, int]


@dataclass(frozen=True)
class Source(Excerpt):
    """By its place in the list from 1."""

    number: int = 0


@dataclass(frozen=True)
class Support:
    """A sentence that a passage (an index of `sources`) is similar to; `span` is the part of the
    passage that is, and `place` says where that part stands, if it is known."""

    at: int
    sentence: Span
    source: int
    score: float
    span: Span | None
    place: str = ""


@dataclass(frozen=True)
class Quote:
    """Words that claim to stand in a file, and the index of the source where they do."""

    start: int
    end: int
    source: int | None


@dataclass(frozen=True)
class Hit:
    file: str
    place: str
    score: float
    kept: bool
    project: str = ""

    @property
    def percent(self) -> int:
        return round(100 * min(max(0.0, self.score), 1.0))


@dataclass(frozen=True)
class Call:
    """One look into the files. `by` is who wanted it: model, decision or automatic."""

    tool: str
    query: str
    by: str
    hits: tuple[Hit, ...]
    threshold: float
    removed: int
    note: str
    milliseconds: float


@dataclass(frozen=True)
class Cited:
    """`grounded` when the answer, as it stands, was compared with its sources; else there are no
    supports, quotes and unsupported sentences."""

    sources: tuple[Source, ...] = ()
    calls: tuple[Call, ...] = ()
    supports: tuple[Support, ...] = ()
    unsupported: tuple[Span, ...] = ()
    quotes: tuple[Quote, ...] = ()
    threshold: float = 0.0
    grounded: bool = False

    @property
    def summary(self) -> str:
        """What the line says that the trace is folded under."""
        pages = sum(bool(each.address) for each in self.sources)
        count = len(self.sources) - pages
        passages = "1 passage" if count == 1 else f"{count:,} passages"
        if pages:
            web = "1 web page" if pages == 1 else f"{pages:,} web pages"
            return f"From {passages} and {web}" if count else f"From {web}"
        if chats := sum(bool(each.thread) for each in self.sources):
            where = "earlier threads and files" if count > chats else "earlier threads"
            return f"From your {where}: {passages}"
        looked = {each.tool for each in self.calls} - {"", "list_attachments"}
        if looked == {"recall"}:
            return "Looked into your earlier threads: nothing found"
        searched = bool(looked)
        if not searched and not count and any(not each.tool for each in self.calls):
            return "Your files were not searched"
        if not searched and count:
            return f"From your files: {passages}"
        return f"Searched your files: {passages if count else 'nothing found'}"

    def place_of(self, source: Source) -> str:
        """Where its parts stand that something rests on; else where all of it does."""
        supports = (each for each in self.supports if each.source == source.number - 1)
        return "; ".join(dict.fromkeys(each.place for each in supports if each.place)) or (
            source.place
        )


def cited(message: Message) -> Cited:
    usage, grounding = _mapping(message, "usage"), _mapping(message, "grounding")
    sent = kept_excerpts(message)
    if message.role != "assistant" or not (usage or grounding or sent):
        return Cited()
    calls = tuple(map(_call, mappings(usage.get("trace"))[:MOST]))
    if not grounding or not _is_fresh(grounding, message.text):
        return Cited(_sources([], sent), calls)
    compared = [Excerpt.from_data(each) for each in mappings(grounding.get("passages"))]
    sources = _sources(compared, sent)
    supports = filter(None, (_support(each, len(compared)) for each in _list(grounding, "marks")))
    quotes = filter(None, (_quote(each, len(compared)) for each in _list(grounding, "quotes")))
    bare = grounding.get("unsupported")
    spans = map(span, bare[:MOST] if isinstance(bare, list) else ())
    return Cited(
        sources,
        calls,
        tuple(sorted(supports, key=lambda each: (each.at, each.source))),
        tuple(each for each in spans if each),
        tuple(quotes),
        number(grounding.get("threshold")),
        grounded=True,
    )


def is_awaited(message: Message) -> bool:
    """Whether it was just written from passages and is yet to be compared with them."""
    finished = number(message.data.get("completed_at")) / 1000
    recent = abs(time.time() - finished) < AWAITED_SECONDS
    known = cited(message) if recent and message.status == "ready" else Cited()
    return bool(known.sources) and not known.grounded


# --- inside ---


def _mapping(message: Message, key: str) -> Mapping[str, Any]:
    found = message.metadata.get(key)
    return found if isinstance(found, Mapping) else {}


def _list(grounding: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    return mappings(grounding.get(key))[:MOST]


def _is_fresh(grounding: Mapping[str, Any], text: str) -> bool:
    """Offsets mean nothing in a text that was changed since."""
    kept = grounding.get("text_digest")
    return isinstance(kept, str) and kept in (_digest(spoken(text)), _digest(text))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _sources(compared: Sequence[Excerpt], sent: Sequence[Excerpt]) -> tuple[Source, ...]:
    """Those that marks point to come first, and keep their places; then the others that were
    sent."""
    known = {each.identity for each in compared}
    files = {each.file_id for each in compared}
    others = [
        each
        for each in sent
        if each.identity not in known and not (each.whole and each.file_id in files)
    ]
    every = [*compared, *others][:MOST]
    return tuple(Source(**vars(each), number=place) for place, each in enumerate(every, 1))


def _support(data: Mapping[str, Any], sources: int) -> Support | None:
    source, sentence = data.get("passage"), span(data.get("sentence"))
    if type(source) is not int or not 0 <= source < sources or sentence is None:
        return None
    at = int(number(data.get("at")))
    score, part = number(data.get("score")), span(data.get("span"))
    return Support(at, sentence, source, score, part, word(data.get("place")))


def _quote(data: Mapping[str, Any], sources: int) -> Quote | None:
    place, source = span([data.get("start"), data.get("end")]), data.get("passage")
    if place is None:
        return None
    found = type(source) is int and 0 <= source < sources
    return Quote(*place, source if found else None)


def _call(data: Mapping[str, Any]) -> Call:
    arguments = data.get("arguments")
    query = arguments.get("query") if isinstance(arguments, Mapping) else ""
    hits = mappings(data.get("hits"))[:MOST]
    return Call(
        word(data.get("tool")),
        word(query),
        word(data.get("by")),
        tuple(
            Hit(
                word(h.get("file")),
                word(h.get("place")),
                number(h.get("score")),
                flag(h.get("kept")),
                word(h.get("project")),
            )
            for h in hits
        ),
        number(data.get("threshold")),
        int(number(data.get("removed"))),
        word(data.get("note")),
        number(data.get("milliseconds")),
    )
