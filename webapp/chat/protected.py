"""Stretches of Markdown that nothing may be put into: code, links, addresses, formulas, tags, and
the signs that make lists, quotes, headings and tables."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from webapp.chat.markdown_lines import Line, cells, lines_of

Spans = tuple[tuple[int, int], ...]

_STEP: Final = re.compile(
    r"(?P<ticks>`+)|(?P<dollar>\$\$?)|(?P<formula>\\[(\[])|(?P<escaped>\\[!-/:-@\[-`{-~])"
    r"|(?P<tag><(?=[/!?A-Za-z]))|(?P<open>!?\[)|(?P<close>\])|(?P<address>https?://)|(?P<at>@)"
)
_DOLLARS: Final = re.compile(r"\$(?![\s$])[^$\n]{0,300}?(?<![\s\\])\$(?![\d$])")
_TAG: Final = re.compile(r"<(?:!--|[^<>]{1,2000}>)")
# What stands between these is code or a drawing, not words.
_VERBATIM: Final = re.compile(r"<(pre|code|kbd|samp|script|style|svg|math)\b", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'`，。、；：！？）」』】》\u201c\u201d]{1,2000}")
_MAIL_BEFORE: Final = re.compile(r"[\w.+-]{1,64}\Z")
_MAIL_BEHIND: Final = re.compile(r"[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_TARGET: Final = re.compile(
    r"\([ \t\n]*(?:<[^<>\n]*>|(?:[^\s()<\\]|\\.|\((?:[^\s()\\]|\\.)*\))*)"
    r"(?:[ \t\n]+(?:\"[^\"]{0,500}\"|'[^']{0,500}'|\([^()]{0,500}\)))?[ \t\n]{0,20}\)"
)
_LABEL: Final = re.compile(r"\[([^\[\]]{0,999})\]")
_CLOSINGS: Final = {"$$": "$$", "\\(": "\\)", "\\[": "\\]"}


def protected_spans(markdown: str) -> Spans:
    """Sorted, without overlap. Nothing may stand strictly inside one of them; see `is_protected`
    for the end of a text."""
    return spans_within(markdown, lines_of(markdown))


def spans_within(markdown: str, lines: tuple[Line, ...]) -> Spans:
    """The same, for whoever has the lines of the text already."""
    return _merged([*_of_lines(markdown, lines), *_of_words(markdown, lines)])


def is_protected(markdown: str, spans: Sequence[tuple[int, int]], at: int) -> bool:
    """Whether something put at `at` would fall into a span, or behind one that has to end its
    line, as the closing of a code block has to."""
    found = bisect_right(spans, (at, -1)) - 1
    if found < 0:
        return False
    start, end = spans[found]
    ends_text = at == end == len(markdown) and (start == 0 or markdown[start - 1] in "\r\n")
    return start < at < end or ends_text


def _merged(spans: list[tuple[int, int]]) -> Spans:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return tuple(merged)


def _of_lines(text: str, lines: tuple[Line, ...]) -> Iterator[tuple[int, int]]:
    start = -1
    for line in lines:
        whole = line.kind in ("code", "structure")
        if whole and start < 0:
            start = line.start
        if not whole and start >= 0:
            yield start, line.start
            start = -1
        if not whole and line.kind != "blank":
            yield line.start, line.ink
        if line.kind in ("head", "row"):
            bars = {end for _, end in cells(text, line) if end < line.end}
            yield from ((bar, bar + 1) for bar in bars)
    if start >= 0:
        yield start, len(text)


def _of_words(text: str, lines: tuple[Line, ...]) -> Iterator[tuple[int, int]]:
    labels = _labels(text, lines)
    for start, end in blocks(text, lines):
        yield from _Words(text, start, end, labels).spans()


def blocks(
    text: str, lines: Sequence[Line], kinds: Sequence[str] = ("prose", "heading", "head", "row")
) -> Iterator[tuple[int, int]]:
    """Paragraphs, headings and cells: each is read for itself."""
    start = end = -1
    for line in lines:
        goes_on = start >= 0 and line.kind in ("prose", "heading") and not line.begins
        if start >= 0 and not goes_on:
            yield start, end
            start = -1
        if line.kind not in kinds:
            continue
        if line.kind in ("head", "row"):
            yield from cells(text, line)
        else:
            start, end = (start if goes_on else line.ink), line.end
    if start >= 0:
        yield start, end


def _labels(text: str, lines: Sequence[Line]) -> frozenset[str]:
    found = (text[line.ink : line.end] for line in lines if line.kind == "structure")
    return frozenset(_label(m[1]) for part in found if (m := _LABEL.match(part)))


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


class _Words:
    """The spans within one block, from left to right."""

    def __init__(self, text: str, start: int, end: int, labels: frozenset[str]) -> None:
        self._text, self._start, self._end = text, start, end
        self._labels = labels
        self._opened: list[int] = []
        self._missing: set[str] = set()
        self._found: list[tuple[int, int]] = []

    def spans(self) -> list[tuple[int, int]]:
        at = self._start
        while step := _STEP.search(self._text, at, self._end):
            at = self._after(step)
        return self._found

    def _after(self, step: re.Match[str]) -> int:
        kind, start, end = step.lastgroup, step.start(), step.end()
        if kind == "open":
            self._opened.append(start)
        elif kind == "close":
            end = self._link(start)
        elif kind == "at":
            end = self._mail(start)
        elif kind != "escaped":
            stop = self._stop(str(kind), step[0], start)
            if stop > start:
                self._found.append((start, stop))
                return stop
        return max(end, start + 1)

    def _stop(self, kind: str, sign: str, start: int) -> int:
        if kind == "ticks":
            return self._code(start, sign)
        if kind == "tag":
            return self._tag(start)
        if kind == "address":
            found = _ADDRESS.match(self._text, start, self._end)
            return start + len(found[0].rstrip(".,:;!?*_~)")) if found else -1
        if sign == "$":
            found = _DOLLARS.match(self._text, start, self._end)
            return found.end() if found else -1
        return self._behind(_CLOSINGS[sign], start + 2)

    def _behind(self, closing: str, at: int) -> int:
        """Behind the next closing; one that is missing is looked for only once."""
        if closing in self._missing:
            return -1
        found = self._text.find(closing, at, self._end)
        if found < 0:
            self._missing.add(closing)
        return found + len(closing) if found >= 0 else -1

    def _code(self, start: int, ticks: str) -> int:
        if ticks in self._missing:
            return -1
        closing = re.compile(rf"(?<!`){ticks}(?!`)")
        found = closing.search(self._text, start + len(ticks), self._end)
        if not found:
            self._missing.add(ticks)
        return found.end() if found else -1

    def _tag(self, start: int) -> int:
        found = _TAG.match(self._text, start, self._end)
        if found and found[0] == "<!--":
            return self._behind("-->", start + 4)
        verbatim = _VERBATIM.match(found[0]) if found else None
        closed = self._behind(f"</{verbatim[1]}>", start) if verbatim else -1
        return max(closed, found.end()) if found else -1

    def _mail(self, at: int) -> int:
        before = _MAIL_BEFORE.search(self._text, max(self._start, at - 64), at)
        behind = _MAIL_BEHIND.match(self._text, at + 1, self._end)
        if before and behind:
            self._found.append((before.start(), behind.end()))
            return behind.end()
        return at + 1

    def _link(self, at: int) -> int:
        """Behind a link whose words end at `at`; right behind the bracket if it is none."""
        if not self._opened:
            return at + 1
        start = self._opened.pop()
        target = _TARGET.match(self._text, at + 1, self._end)
        named = _LABEL.match(self._text, at + 1, self._end)
        end = at + 1
        if target:
            end = target.end()
        elif named and _label(named[1]) in self._labels:
            end = named.end()
        elif not self._is_label(start, at):
            return end
        self._found.append((start, end))
        return end

    def _is_label(self, start: int, at: int) -> bool:
        """Whether these words alone name a link that is defined below; one has no brackets in it,
        and not looking behind the first keeps a heap of them cheap."""
        start += self._text.startswith("!", start)
        words = _LABEL.match(self._text, start, at + 1) if self._labels else None
        return words is not None and words.end() == at + 1 and _label(words[1]) in self._labels
