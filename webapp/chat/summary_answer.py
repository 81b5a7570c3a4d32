"""What a model wrote when it was asked for a summary: is it one, and where does each line come
from? Whatever is no summary (thinking, an excuse, a tool call, an error) is refused: messages are
then left out without one, which is better than false notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from webapp.chat.compaction import EXAMPLES, SummaryRequest
from webapp.chat.summary import Line, Summary, grown
from webapp.chat.thinking import split

_MARKUP: Final = re.compile(
    r"</?\s*(?:tool_call|tool_response|tool_calls|tools|function_call|function|invoke)\b"
    r"|\[TOOL_CALLS?\]|<\|[^|\n]{1,40}\|>|<｜[^｜\n]{1,40}｜>"
    r"|\"(?:name|tool|function)\"\s*:\s*\"[^\"\n]*\"\s*,\s*\"(?:arguments|parameters)\"\s*:",
    re.IGNORECASE,
)
_FAULT: Final = re.compile(
    r"(?:internal server |api |http |fatal )?error\b\s*[:\d]|error$|traceback \(|exception\b\s*:"
    r"|\{\s*\"error\"|<!doctype|<html|(?:http(?:/[\d.]+)?\s+)[45]\d\d\b"
    r"|(?:[45]\d\d )?(?:bad request|unauthorized|forbidden|not found|too many requests"
    r"|internal server error|bad gateway|service unavailable|gateway time-?out)\b"
    r"|the model could not|the conversation has [\d,]+ tokens",
    re.IGNORECASE,
)
_EXCUSE: Final = re.compile(
    r"(?:i'?m |i am |we are )?(?:very |so )?sorry\b|i (?:cannot|can'?t|am unable|am not able)\b"
    r"|as an ai\b|there is nothing to (?:note|summari[sz]e)"
    r"|no (?:messages|pieces|conversation) (?:was|were|given|provided)\b"
    r"|抱歉|对不起|我无法|作为一个?(?:ai|人工智能)",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"^\s*(?:[-*•‣·–—]\s+|\d{1,3}[.)]\s+)")
_LINKS: Final = re.compile(
    r"\s*[\[(（【]\s*(?:(?:pieces?|nos?\.?)\s*)?(\d[\d\s,;、，–-]*)[\])）】]\s*([.。;；]?)\s*$",
    re.IGNORECASE,
)
_LEADING: Final = re.compile(
    r"[\[【]\s*(\d[\d\s,;、，–-]*)[\]】]\s*(?:(?:user|assistant|tool|system)\s*[:：])?\s*",
    re.IGNORECASE,
)
# Longer ones are years; one right behind a word is the index of a list.
_INVENTED: Final = re.compile(r"(?:^|[\s.,;:!?])([\[【]\d{1,3}(?:[\s,;、，–-]+\d{1,3})*[\]】])\.?$")
_BOLD: Final = re.compile(r"\*\*([^*]+)\*\*")
_CLAUSE: Final = re.compile(r"(?<=[;.])\s+")
_SENTENCE: Final = re.compile(r"(?<=[.;!?])\s+|(?<=[。；！？])")
_RANGE: Final = re.compile(r"(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?")
_PREAMBLE: Final = re.compile(
    r"^(?:sure|okay|ok|certainly|here (?:is|are)\b).*[:：.!]$", re.IGNORECASE
)

_EXAMPLE_CLAUSES: Final = {
    clause.strip(" .;").casefold()
    for example in EXAMPLES
    for clause in _CLAUSE.split(_LINKS.sub("", example))
}


@dataclass(frozen=True)
class Refused:
    """Why an answer is no summary: a sentence to keep where the summary would have ended."""

    reason: str


def summary_from(
    answer: str,
    asked: SummaryRequest,
    *,
    now_ms: int,
    model: str,
    tokens: Callable[[str], int],
) -> Summary | Refused:
    """The whole new summary, earlier lines included, within `asked.max_tokens` for what is new.

    Lines beyond that are cut, and of a first that is too long whole sentences are kept; a line
    that names no piece is linked to all that were read."""
    parts = split(answer, finished=False)
    text = "\n\n".join(part.text for part in parts if part.kind == "text").strip()
    if reason := _no_summary(text):
        return Refused(reason)
    lines = _within(_lines(text, asked), asked.max_tokens, tokens)
    if not lines:
        return Refused("The model's summary was empty or too long.")
    if sum(tokens(line.text) for line in lines) >= tokens(asked.excerpt):
        return Refused("The model's summary was not shorter than what it stands for.")
    spans = asked.due.earlier.spans if asked.due.earlier else ()
    first_due = next((each.id for each in asked.due.messages), "")
    adjacent = asked.due.adjacent and asked.span[0] == first_due
    spans = grown(spans, asked.span, adjacent=adjacent)
    return Summary((*asked.kept, *lines), spans, now_ms, model, _original(asked, lines))


def _original(asked: SummaryRequest, lines: Sequence[Line]) -> tuple[Line, ...]:
    """What the notes would be had no person changed the earlier ones; nothing if none did."""
    earlier = asked.due.earlier
    if earlier is None or not earlier.edited or not asked.kept:
        return ()
    return (*(() if asked.condenses else earlier.original), *lines)


def _no_summary(text: str) -> str:
    if not any(character.isalnum() for character in text):
        return "The model wrote no summary, or only its thoughts about one."
    if _MARKUP.search(text):
        return "The model called a tool instead of writing a summary."
    if _FAULT.match(text):
        return "The model's server answered with an error instead of a summary."
    if _EXCUSE.match(_BULLET.sub("", text)):
        return "The model apologised instead of writing a summary."
    return ""


def _lines(text: str, asked: SummaryRequest) -> list[Line]:
    """Each point once, also of those that are noted already; what the task gave as an example is
    no point."""
    sources, told = asked.sources, asked.excerpt.casefold()
    seen = {line.text.casefold() for line in asked.kept}
    found: list[Line] = []
    for row in text.splitlines():
        # Without long runs of spaces, in which looking for links takes very long.
        point, places = _parted(" ".join(_BULLET.sub("", row).split()), len(sources))
        point = _told(point, told)
        if _is_point(point) and point.casefold() not in seen:
            seen.add(point.casefold())
            named = [sources[at - 1] for at in sorted(places)] or sources
            found.append(Line(point, tuple(dict.fromkeys(id for ids in named for id in ids))))
    return found


def _told(point: str, told: str) -> str:
    """A point without what small models make up from the task: clauses of its examples, numbers
    of pieces that are not there. `told` is what was really said, in small letters."""
    while (invented := _INVENTED.search(point)) and invented[1] not in told:
        point = point[: invented.start(1)].rstrip()
    clauses = _CLAUSE.split(point)
    real = [each for each in clauses if not _is_example(each) or each.casefold() in told]
    return point if len(real) == len(clauses) else " ".join(real).removesuffix(";")


def _is_example(clause: str) -> bool:
    return clause.strip(" .;").casefold() in _EXAMPLE_CLAUSES


def _parted(row: str, most: int) -> tuple[str, set[int]]:
    """A row without the numbers of pieces at its ends, and those numbers. Numbers that name no
    piece are the row's own: a year, a list's index."""
    places: set[int] = set()
    while (link := _LEADING.match(row)) and (named := _numbers(link[1], most)):
        places |= named
        row = row[link.end() :]
    while link := _LINKS.search(row):
        named = _numbers(link[1], most)
        if not named:
            break
        places |= named
        row = row[: link.start()] + link[2]
    return _BOLD.sub(r"\1", row).strip("*# "), places


def _numbers(text: str, most: int) -> set[int]:
    found: set[int] = set()
    for each in _RANGE.finditer(text):
        first, last = int(each[1]), int(each[2] or each[1])
        found.update(range(max(first, 1), min(last, most) + 1))
    return found


def _is_point(text: str) -> bool:
    return any(character.isalnum() for character in text) and not _PREAMBLE.match(text)


def _within(lines: Sequence[Line], most: int, tokens: Callable[[str], int]) -> tuple[Line, ...]:
    """The first lines that fit. Small models write all in one line: of that the first sentences."""
    kept: list[Line] = []
    for line in lines:
        room = most - 2
        most = room - tokens(line.text)
        if most < 0:
            begun = "" if kept else _first_sentences(line.text, room, tokens)
            return (replace(line, text=begun),) if begun else tuple(kept)
        kept.append(line)
    return tuple(kept)


def _first_sentences(text: str, room: int, tokens: Callable[[str], int]) -> str:
    ends = [found.start() for found in _SENTENCE.finditer(text)]
    return next((text[:end] for end in reversed(ends) if tokens(text[:end]) <= room), "")
