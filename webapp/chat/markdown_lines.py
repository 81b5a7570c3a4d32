"""The lines of a Markdown text and what each of them is: prose, code, a row of a table, …

One walk, line by line, with the few blocks CommonMark has. It does not build a tree: who reads an
answer for its sentences needs to know where prose begins and what must be left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

Kind = Literal["prose", "heading", "head", "row", "structure", "code", "blank"]
"""`head` and `row` are rows of a table; `structure` is a line without words of its own: a rule,
the line under a heading or a table's head, a definition, a formula on lines of its own."""

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_QUOTE: Final = re.compile(r"[ ]{0,3}>[ \t]?")
_ITEM: Final = re.compile(r"(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$)")
_TASK: Final = re.compile(r"\[[ xX]\][ \t]+")
_FENCE: Final = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_HEADING: Final = re.compile(r"#{1,6}(?:[ \t]+|$)")
_RULE: Final = re.compile(r"(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_UNDERLINE: Final = re.compile(r"(?:=+|-+)[ \t]*$")
# White space is never given back: a line that is full of it would be read again from each place.
_DELIMITERS: Final = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$")
_DEFINITION: Final = re.compile(
    r"\[(?:[^\[\]\\]|\\.)+\]:[ \t]*(?:<[^<>]*>|[^\s<]\S*)"
    r"(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*$"
)
_PIPE: Final = re.compile(r"(?<!\\)\|")
_FORMULAS: Final = {"$$": "$$", "\\[": "\\]"}
# What these begin goes on over empty lines, until it is closed.
_RAW: Final = re.compile(
    r"<(?P<tag>pre|script|style|textarea)\b"
    r"|\\begin\{(?P<name>(?:equation|align|alignat|gather|multline|eqnarray|displaymath|math)\*?)\}"
)
_NOTE: Final = re.compile(r"\[!\w{1,20}\][ \t]*$")  # the kind of a note, above its words


@dataclass(frozen=True, slots=True)
class Line:
    """`start` to `end` with its line break; `ink` is behind the signs of quotes, lists and
    headings. `begins` is true where no paragraph of the line before goes on."""

    kind: Kind
    start: int
    ink: int
    end: int
    begins: bool = True


def lines_of(markdown: str) -> tuple[Line, ...]:
    """Every line in order; together they are the whole text."""
    return tuple(_Reader(markdown).lines())


def cells(markdown: str, line: Line) -> Iterator[tuple[int, int]]:
    """The cells of a row of a table, without the bars between them."""
    start, end = line.ink, line.end
    for bar in _PIPE.finditer(markdown, start, end):
        yield start, bar.start()
        start = bar.end()
    yield start, end


@dataclass(frozen=True, slots=True)
class _Fence:
    sign: str
    quotes: int
    column: int


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[Line] = []
        self._items: list[int] = []  # columns where the contents of open list items begin
        self._quotes = 0
        self._fence: _Fence | None = None
        self._formula_end = 0
        self._next: dict[str, int] = {}

    def lines(self) -> list[Line]:
        for found in _LINE.finditer(self._text):
            if found.end() > found.start():
                self._found.append(self._line(found.start(), found.end()))
        return self._found

    def _line(self, start: int, end: int) -> Line:
        stop = start + len(self._text[start:end].rstrip("\r\n"))
        if self._fence and (fenced := self._fenced(self._fence, start, stop, end)):
            return fenced
        if start < self._formula_end:
            return Line("structure", start, start, end)
        if start == stop:
            self._quotes = 0
            return Line("blank", start, stop, end)
        return self._after_signs(start, stop, end)

    def _fenced(self, fence: _Fence, start: int, stop: int, end: int) -> Line | None:
        """A line of code, or None where the quote or list around the code is over."""
        at, quotes = start, 0
        while quotes < fence.quotes and (sign := _QUOTE.match(self._text, at, stop)):
            at, quotes = sign.end(), quotes + 1
        rest = self._text[at:stop]
        code = rest.lstrip(" \t")
        column = _column(self._text, start, stop - len(code))
        if quotes < fence.quotes or (code and column < fence.column):
            self._fence = None
            return None
        sign_is_enough = code.rstrip(" \t").strip(fence.sign[0]) == "" and fence.sign in code
        if sign_is_enough and column - max(fence.column, at - start) <= 3:
            self._fence = None
        return Line("code", start, start, end)

    def _after_signs(self, start: int, stop: int, end: int) -> Line:
        at, quotes = start, 0
        while sign := _QUOTE.match(self._text, at, stop):
            at, quotes = sign.end(), quotes + 1
        ink = stop - len(self._text[at:stop].lstrip(" \t"))
        if ink == stop:
            self._quotes = quotes
            return Line("blank", start, stop, end)
        begins = not self._goes_on() or quotes > self._quotes
        self._leave_items(_column(self._text, start, ink), quotes, begins)
        if begins and _column(self._text, start, ink) - self._indent(at - start) >= 4:
            return Line("code", start, start, end)
        ink, in_item = self._enter_items(start, ink, stop)
        return self._kind(Line("prose", start, ink, end, begins or in_item), stop)

    def _goes_on(self) -> bool:
        return bool(self._found) and self._found[-1].kind == "prose"

    def _indent(self, least: int) -> int:
        return max(self._items[-1] if self._items else 0, least)

    def _leave_items(self, column: int, quotes: int, begins: bool) -> None:
        if quotes != self._quotes and begins:
            self._items.clear()
        self._quotes = quotes
        while self._items and column < self._items[-1]:
            self._items.pop()

    def _enter_items(self, start: int, ink: int, stop: int) -> tuple[int, bool]:
        """Behind the signs of list items, several on one line too."""
        entered = False
        while not _RULE.match(self._text, ink, stop) and (
            item := _ITEM.match(self._text, ink, stop)
        ):
            ink, entered = item.end(), True
            self._items.append(_column(self._text, start, ink))
            if task := _TASK.match(self._text, ink, stop):
                return task.end(), True
            if len(self._items) > 100:
                break
        return ink, entered

    def _kind(self, line: Line, stop: int) -> Line:
        text, ink = self._text, line.ink
        if ink >= stop:
            return replace(line, kind="blank")
        if sign := _FENCE.match(text, ink, stop):
            column = self._items[-1] if self._items else 0
            self._fence = _Fence(sign[1] or sign[2], self._quotes, column)
            return replace(line, kind="code")
        if heading := _HEADING.match(text, ink, stop):
            return replace(line, kind="heading", ink=heading.end(), begins=True)
        if self._goes_on() and not line.begins and self._under(ink, stop):
            return replace(line, kind="structure")
        if _RULE.match(text, ink, stop) or (line.begins and _DEFINITION.match(text, ink, stop)):
            return replace(line, kind="structure")
        if self._formula(line) or self._raw(line) or self._names_note(line, stop):
            return replace(line, kind="structure")
        if line.begins and self._found and self._found[-1].kind in ("structure", "row"):
            return replace(line, kind="row") if self._in_table(line) else line
        return line

    def _under(self, ink: int, stop: int) -> bool:
        """A line that makes the prose above a heading, or the line above the head of a table."""
        if _UNDERLINE.match(self._text, ink, stop):
            at = len(self._found) - 1
            while self._found[at].kind == "prose":
                self._found[at] = replace(self._found[at], kind="heading")
                if self._found[at].begins or at == 0:
                    break
                at -= 1
            return True
        above = self._found[-1]
        bars = len(_PIPE.findall(self._text, above.ink, above.end))
        if "|" not in self._text[ink:stop] or not bars:
            return False
        if not _DELIMITERS.match(self._text, ink, stop):
            return False
        if self._columns(above.ink, above.end) != self._columns(ink, stop):
            return False
        self._found[-1] = replace(above, kind="head", begins=True)
        return True

    def _columns(self, start: int, end: int) -> int:
        row = self._text[start:end].strip()
        inner = row.removeprefix("|")
        inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
        return len(_PIPE.findall(inner)) + 1

    def _in_table(self, line: Line) -> bool:
        """The line above is a row, or the delimiters below a head; an item ends a table."""
        if self._text[line.start : line.ink].strip(" \t>"):
            return False
        if self._found[-1].kind == "row":
            return True
        return len(self._found) > 1 and self._found[-2].kind == "head"

    def _formula(self, line: Line) -> bool:
        """From `$$` or `\\[` to its closing at the end of a line, with no empty line between."""
        closing = _FORMULAS.get(self._text[line.ink : line.ink + 2])
        if closing is None:
            return False
        found = self._find(closing, line.ink + 2)
        if found < 0 or 0 <= self._find("\n\n", line.ink) < found:
            return False
        last = self._text.find("\n", found)
        last = len(self._text) if last < 0 else last
        if self._text[found + 2 : last].strip():
            return False
        self._formula_end = last
        return True

    def _raw(self, line: Line) -> bool:
        found = _RAW.match(self._text, line.ink)
        if found is None:
            return False
        closing = f"</{found['tag']}>" if found["tag"] else f"\\end{{{found['name']}}}"
        end = self._find(closing, found.end())
        if end < 0:
            return False
        last = self._text.find("\n", end)
        last = len(self._text) if last < 0 else last
        self._formula_end = last
        return True

    def _names_note(self, line: Line, stop: int) -> bool:
        return self._quotes > 0 and _NOTE.match(self._text, line.ink, stop) is not None

    def _find(self, what: str, at: int) -> int:
        """Like `str.find`; what was found last is remembered, so that many signs without an end
        do not cost the square of their number."""
        known = self._next.get(what)
        if known is None or 0 <= known < at:
            known = self._next[what] = self._text.find(what, at)
        return known


def _column(text: str, start: int, at: int) -> int:
    """The column of `at` on a line that begins at `start`; a tab goes on to the next fourth."""
    before = text[start:at]
    return len(before.expandtabs(4)) if "\t" in before else len(before)
