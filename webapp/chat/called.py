"""The calls that a model writes into its answer, taken out of it while it streams.

One walk from left to right. Calls stand in the tags of the model's family, or as JSON that is
nothing but a call of a known tool, in a fence of its own or in the text. What stands in thinking,
in code, or in any other JSON is text. Only what may still become a call is kept back.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from webapp.chat.call_cursor import Cursor, Waiting
from webapp.chat.call_json import JsonScan
from webapp.chat.call_outside import (
    LEADS,
    Fence,
    content_of_fence,
    fence_end,
    follow_fence,
    follow_thinking,
    span_end,
)
from webapp.chat.call_shown import Shown
from webapp.chat.call_tags import CLOSINGS, OPENINGS, WRAPPINGS, Found, calls_at
from webapp.chat.call_values import Called, calls_in_text, loaded
from webapp.chat.thinking import CLOSINGS as THOUGHT
from webapp.chat.thinking import OPENINGS as THINK
from webapp.chat.thinking import begins_again

__all__ = ["CallReader", "Called", "read_calls"]

_THINK: Final = frozenset(tag.lower() for tag in THINK)
_THOUGHT: Final = frozenset(tag.lower() for tag in THOUGHT)
_SPELLINGS: Final = (*OPENINGS, *CLOSINGS, *WRAPPINGS, *_THINK, *_THOUGHT)
_SPECIAL: Final = frozenset("<[{◁`~")
_QUOTES: Final = frozenset("`'\"“”‘’")


class CallReader:
    """Of one answer; `names` are the tools there are. `calls` holds, in order, those found."""

    def __init__(self, names: Collection[str]) -> None:
        self.calls: list[Called] = []
        self._names = frozenset(names)
        self._ids: set[str] = set()
        self._cursor = Cursor()
        self._shown = Shown()
        self._at = 0
        self._line_begins = True
        self._fresh = True  # nothing was said yet, or since the last thinking
        self._ticks = 0  # of a code span that may be open on this line
        self._thought = False
        self._closings_missing = 0
        self._walking = self._walk()

    def feed(self, piece: str) -> str:
        """The text that is certain to be shown now; how the pieces are cut makes no difference."""
        self._cursor.chars += piece
        next(self._walking)
        return self._shown.taken()

    def end(self) -> str:
        """The rest of the text, now that no more comes."""
        self._cursor.over = True
        next(self._walking, None)
        self._shown.end()
        return self._shown.taken()

    def _walk(self) -> Waiting[None]:
        while (yield from self._cursor.has(self._at)):
            char = self._cursor.chars[self._at]
            if char == "`" or (char == "~" and self._line_begins):
                yield from self._code()
            elif char in _SPECIAL:
                yield from self._mark(char)
            else:
                self._plain()

    def _plain(self) -> None:
        chars, end = self._cursor.chars, self._at + 1
        while end < len(chars) and chars[end] not in _SPECIAL:
            end += 1
        self._show(end)

    def _show(self, end: int) -> None:
        text = self._cursor.text(self._at, end)
        self._at = end
        self._shown.add(text)
        self._fresh = self._fresh and not text.strip()
        _, newline, line = text.rpartition("\n")
        if newline:
            self._ticks = 0
        self._line_begins = bool(newline or self._line_begins) and not line.strip(LEADS)

    def _accept(self, found: Found) -> None:
        calls, self._at, closing_missing = found
        self._closings_missing += closing_missing
        for call in calls:
            id = call.id if call.id and call.id not in self._ids else self._new_id()
            self._ids.add(id)
            self.calls.append(replace(call, id=id))
        self._shown.cut()
        self._fresh, self._line_begins = False, True

    def _new_id(self) -> str:
        number = len(self._ids) + 1
        while f"call_{number}" in self._ids:
            number += 1
        return f"call_{number}"

    def _mark(self, char: str) -> Waiting[None]:
        if self._ticks and (yield from self._in_code_span()):
            return
        mark = yield from self._cursor.literal(self._at, _SPELLINGS)
        if mark in OPENINGS:
            found = yield from calls_at(self._cursor, self._at, mark, self._names)
            if found:
                self._accept(found)
                return
        elif mark in CLOSINGS and self._closings_missing:
            self._closings_missing -= 1
            self._accept(([], self._at + len(mark), False))
            return
        elif mark in (*WRAPPINGS, *_THINK):
            reading = self._wrapping(mark) if mark in WRAPPINGS else self._thinking(mark)
            if (yield from reading):
                return
        elif mark in _THOUGHT:
            self._thought_ends(mark)
            return
        elif not mark and char in "{[":
            yield from self._json()
            return
        self._show(self._at + max(1, len(mark)))

    def _json(self) -> Waiting[None]:
        """A value in the text: a call, or else text from its beginning to its end."""
        scan, start, end = JsonScan(self._names), self._at, self._at
        while scan.going_on and (yield from self._cursor.has(end)):
            scan.feed(self._cursor.chars[end])
            end += not scan.broken
            if not scan.may_be_call and end == len(self._cursor.chars):
                self._show(end)
        calls = self._calls_of(scan, start, end)
        if calls:
            self._accept((calls, (yield from self._behind_separator(end)), True))
        else:
            self._show(end)

    def _wrapping(self, mark: str) -> Waiting[bool]:
        """A tag that goes away with the calls in it; without any it is a word of the text."""
        calls: list[Called] = []
        end = self._at + len(mark)
        while True:
            start = yield from self._cursor.skip_space(end)
            found, end_of_one = yield from self._json_calls(start)
            if not found:
                break
            calls, end = [*calls, *found], end_of_one
        if calls:
            closing = yield from self._cursor.literal(start, (WRAPPINGS[mark],))
            self._accept((calls, start + len(closing) if closing else end, False))
        return bool(calls)

    def _json_calls(self, start: int) -> Waiting[tuple[list[Called], int]]:
        """The calls that are all of the JSON which begins there, and where it ends."""
        scan, end = JsonScan(self._names), start
        if start < len(self._cursor.chars) and self._cursor.chars[start] in "{[":
            while scan.going_on and scan.may_be_call and (yield from self._cursor.has(end)):
                scan.feed(self._cursor.chars[end])
                end += 1
        return self._calls_of(scan, start, end), end

    def _behind_separator(self, end: int) -> Waiting[int]:
        """Some models part several calls by a sign."""
        at = yield from self._cursor.skip_space(end)
        if (yield from self._cursor.has(at)) and self._cursor.chars[at] in ";,":
            after = yield from self._cursor.skip_space(at + 1)
            if after == len(self._cursor.chars) or self._cursor.chars[after] == "{":
                return at + 1
        return end

    def _calls_of(self, scan: JsonScan, start: int, end: int) -> list[Called]:
        if not scan.closed or not scan.may_be_call:
            return []
        try:
            value = loaded(self._cursor.text(start, end))
        except ValueError:
            return []
        return calls_in_text(value, self._names)

    def _code(self) -> Waiting[None]:
        mark, begins = self._cursor.chars[self._at], self._line_begins
        end = yield from self._cursor.run_end(self._at)
        fence = Fence(mark, end - self._at)
        if begins and fence.count >= 3:
            content = yield from content_of_fence(self._cursor, end, mark)
            if content:
                yield from self._fence(content, fence)
                return
        if mark == "`":
            self._ticks = 0 if self._ticks == fence.count else self._ticks or fence.count
        self._show(end)

    def _fence(self, content: int, fence: Fence) -> Waiting[None]:
        """The whole fence is a call when nothing but one stands in it."""
        cursor = self._cursor
        start = yield from cursor.skip_space(content)
        found = yield from self._fenced(start)
        end = (yield from fence_end(cursor, found[1], fence)) if found else -1
        if found and end >= 0:
            self._accept((found[0], end, False))
        else:
            self._show(content)
            yield from follow_fence(cursor, content, fence, self._show)
            self._ticks, self._line_begins = 0, True

    def _fenced(self, start: int) -> Waiting[Found | None]:
        mark = yield from self._cursor.literal(start, OPENINGS)
        if mark:
            found = yield from calls_at(self._cursor, start, mark, self._names)
        else:
            calls, end = yield from self._json_calls(start)
            found = (calls, end, False)
        one = found is not None and len(found[0]) == 1
        return found if found and one and found[0][0].name in self._names else None

    def _in_code_span(self) -> Waiting[bool]:
        end = yield from span_end(self._cursor, self._at, self._ticks)
        self._ticks = 0
        if end:
            self._show(end)
            self._ticks = 0
        return bool(end)

    def _thinking(self, mark: str) -> Waiting[bool]:
        """Over thinking, if the tag begins it: at the beginning, alone on its line, or where
        thinking begins again. Anywhere else it is a word of the text."""
        behind = self._at + len(mark)
        if not self._fresh:
            more = yield from self._cursor.has(behind)
            char = self._cursor.chars[behind] if more else ""
            before = self._cursor.text(max(0, self._at - 80), self._at)
            alone = before[-1:] == "\n" == char
            if not alone and not begins_again(before, char):
                return False
        self._show(behind)
        yield from follow_thinking(self._cursor, behind, self._show)
        self._thought = self._fresh = self._line_begins = True
        self._ticks = 0
        return True

    def _thought_ends(self, mark: str) -> None:
        """An end without a beginning, which the template wrote: what came before was no call."""
        quoted = self._at and self._cursor.chars[self._at - 1] in _QUOTES
        self._show(self._at + len(mark))
        if not self._thought and not quoted:
            self.calls.clear()
            self._ids.clear()
            self._thought = self._fresh = True


def read_calls(text: str, names: Collection[str]) -> tuple[str, tuple[Called, ...]]:
    """A whole answer without its calls, and these."""
    reader = CallReader(names)
    shown = reader.feed(text) + reader.end()
    return shown, tuple(reader.calls)
