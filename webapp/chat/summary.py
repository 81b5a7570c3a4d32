"""What stands for messages that are no longer sent: lines, each linked to where it comes from.

A summary is a record in the metadata of the message where it ends (`metadata.summary`), so each
branch has its own. An attempt that came to nothing is remembered there too, so that the same
messages are not read again.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from webapp.chat.messages import Message

SUMMARY: Final = "summary"
FAILED: Final = "summary_failed"
HEADING: Final = "Notes on the earlier part of this conversation, which is no longer shown:"

Span = tuple[str, str]


@dataclass(frozen=True)
class Line:
    """One point. Without `message_ids` it was written by a person."""

    text: str
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Summary:
    """`spans` are (first, last) ids of the messages it stands for; times are milliseconds since
    1970. `original` keeps the model's lines once a person has changed them."""

    lines: tuple[Line, ...]
    spans: tuple[Span, ...]
    made_at: int
    model: str
    original: tuple[Line, ...] = ()

    @property
    def edited(self) -> bool:
        return bool(self.original)

    @property
    def text(self) -> str:
        """The lines as a person reads and edits them."""
        return "\n".join(f"- {line.text}" for line in self.lines)


def summary_at(message: Message) -> Summary | None:
    """The summary that ends at this message; None too for a record that cannot be read."""
    found = message.metadata.get(SUMMARY)
    if not isinstance(found, Mapping):
        return None
    lines, spans = _lines(found.get("lines")), _spans(found.get("spans"))
    if not lines or not spans:
        return None
    made_at, model = found.get("made_at"), found.get("model")
    return Summary(
        lines,
        spans,
        made_at if isinstance(made_at, int) else 0,
        model if isinstance(model, str) else "",
        _lines(found.get("original")),
    )


def failed_at(message: Message) -> bool:
    """Whether an attempt to summarise what ends here came to nothing."""
    return isinstance(message.metadata.get(FAILED), Mapping)


def kept_summary(summary: Summary) -> dict[str, Any]:
    """The metadata to patch into the message where it ends."""
    record = {
        "text": summary.text,
        "lines": _records(summary.lines),
        "spans": [list(span) for span in summary.spans],
        "made_at": summary.made_at,
        "model": summary.model,
        "edited": summary.edited,
        "original": _records(summary.original),
    }
    return {SUMMARY: record, FAILED: None}


def kept_failure(reason: str, now_ms: int, model: str) -> dict[str, Any]:
    """The metadata to patch into the message where the summary would have ended."""
    return {FAILED: {"reason": reason, "made_at": now_ms, "model": model}}


def removed() -> dict[str, Any]:
    """The metadata that takes a summary, or the memory of a failure, away."""
    return {SUMMARY: None, FAILED: None}


def sent_text(summary: Summary, muted: Container[str]) -> str:
    """What the model is sent; a line that comes from muted messages alone is not. Empty when
    nothing is left."""
    shown = [line.text for line in summary.lines if not _is_muted(line, muted)]
    return "\n".join([HEADING, *(f"- {text}" for text in shown)]) if shown else ""


def edited(summary: Summary, text: str) -> Summary:
    """As a person rewrote it: lines that are still there keep their links, new ones have none."""
    links = {line.text: line for line in (*summary.original, *summary.lines)}
    texts = [line.strip().removeprefix("- ").strip() for line in text.splitlines()]
    lines = tuple(links.get(each, Line(each)) for each in texts if each and each != "-")
    original = summary.original or summary.lines
    return replace(summary, lines=lines, original=() if lines == original else original)


def amended(newer: Summary, read: Summary, changed: Summary) -> Summary:
    """Notes that grew out of those which a person read, with what the person changed in them."""
    read_lines, old = set(read.lines), newer.original or newer.lines
    grown = tuple(line for line in newer.lines if line not in read_lines)
    return replace(newer, lines=(*changed.lines, *grown), original=old)


def reverted(summary: Summary) -> Summary:
    """As the model wrote it."""
    return replace(summary, lines=summary.original or summary.lines, original=())


def grown(earlier: Sequence[Span], added: Span, *, adjacent: bool) -> tuple[Span, ...]:
    """Spans with one more; it is joined to the last when nothing lies between."""
    if adjacent and earlier:
        return (*earlier[:-1], (earlier[-1][0], added[1]))
    return (*earlier, added)


def _is_muted(line: Line, muted: Container[str]) -> bool:
    return bool(line.message_ids) and all(id in muted for id in line.message_ids)


def _records(lines: Sequence[Line]) -> list[dict[str, Any]]:
    return [{"text": line.text, "message_ids": list(line.message_ids)} for line in lines]


def _lines(value: object) -> tuple[Line, ...]:
    found: list[Line] = []
    for each in value if isinstance(value, list) else ():
        text = each.get("text") if isinstance(each, Mapping) else None
        if isinstance(text, str) and text.strip():
            ids = each.get("message_ids")
            listed = ids if isinstance(ids, list) else ()
            found.append(Line(text, tuple(id for id in listed if isinstance(id, str))))
    return tuple(found)


def _spans(value: object) -> tuple[Span, ...]:
    spans: list[Span] = []
    for each in value if isinstance(value, list) else ():
        match each:
            case [str(first), str(last)]:
                spans.append((first, last))
    return tuple(spans)
