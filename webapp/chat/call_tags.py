"""Calls in the tags of a model's family, from the opening tag to where the call ends.

Hermes and Qwen write JSON between tags, Qwen's coder also parameters in tags of their own, GLM a
name and then keys and values in such; Llama begins with one token and ends with another, and may
write Python; Mistral begins with a word in brackets; DeepSeek has a token for each part.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from webapp.chat.call_cursor import Cursor, Waiting
from webapp.chat.call_json import JsonScan
from webapp.chat.call_python import python_call
from webapp.chat.call_values import MALFORMED, Called, calls_in, loaded, malformed, named

HERMES: Final = "<tool_call>"
LLAMA: Final = "<|python_tag|>"
MISTRAL: Final = "[tool_calls]"
FUNCTION: Final = "<function="
DEEPSEEK: Final = "<｜tool▁calls▁begin｜>"
CLOSINGS_OF: Final = {
    HERMES: ("</tool_call>",),
    "<function_call>": ("</function_call>",),
    "<|tool_call|>": ("<|/tool_call|>",),
    LLAMA: ("<|eom_id|>", "<|eot_id|>"),
    MISTRAL: ("[/tool_calls]",),
    FUNCTION: ("</function>",),
    DEEPSEEK: ("<｜tool▁calls▁end｜>",),
}
WRAPPINGS: Final = {
    "<tool>": "</tool>",
    "<tools>": "</tools>",
    "<toolcall>": "</toolcall>",
    "<tool_calls>": "</tool_calls>",
    "<function_calls>": "</function_calls>",
    "<|action_start|><|plugin|>": "<|action_end|>",
}
"""What some models put around calls that are told by their JSON alone."""
CLOSINGS: Final = tuple(closing for each in CLOSINGS_OF.values() for closing in each)
OPENINGS: Final = tuple(CLOSINGS_OF)
_TAGS: Final = (*OPENINGS, *CLOSINGS)

_HEADS: Final = {
    MISTRAL: re.compile(
        r"(?P<name>[\w.:-]{1,64})(?:\[CALL_ID\](?P<id>[\w-]{1,64}))?(?:\[ARGS\])?", re.I
    ),
    DEEPSEEK: re.compile(
        r"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?(?P<name>[\w.:-]{1,64})(?P<id>)"
        r"(?:<｜tool▁sep｜>)?\s*(?:```(?:json)?)?",
        re.I,
    ),
}
_NAME: Final = re.compile(r"[\w.:-]")
_KEY: Final = re.compile(
    r"<arg_key>\s*(.{1,64}?)\s*</arg_key>\s*<arg_value>(.*?)</arg_value>", re.S
)
_FUNCTION: Final = re.compile(r"<function=\s*\"?([^>\"]{1,64})\"?\s*>(.*)", re.S)
_PARAMETER: Final = re.compile(
    r"<parameter=\s*\"?([^>\"]{1,64})\"?\s*>(.*?)(?:</parameter>|\Z)", re.S
)
# A tag that no JSON follows, and no closing tag on the next lines, is a word of the answer.
_LONGEST_RUIN: Final = 4_000

Found = tuple[list[Called], int, bool]
"""The calls, where they end, and whether their closing tag is still to come."""


def calls_at(
    cursor: Cursor, at: int, opening: str, names: Collection[str]
) -> Waiting[Found | None]:
    """The calls that begin with the tag at `at`; None when the tag is only mentioned."""
    start = at + (0 if opening == FUNCTION else len(opening))
    return (yield from _Tag(cursor, opening, names).read(start))


class _Tag:
    def __init__(self, cursor: Cursor, opening: str, names: Collection[str]) -> None:
        self._cursor = cursor
        self._opening = opening
        self._closings = CLOSINGS_OF[opening]
        self._names = names
        self._calls: list[Called] = []
        self._fence = False  # of code, opened inside the tag

    def read(self, start: int) -> Waiting[Found | None]:
        end = start
        while True:
            at = yield from self._cursor.skip_space(end)
            closed = yield from self._closing_at(at)
            if closed and self._calls:
                return self._calls, closed, False
            after = yield from self._one(at)
            if after < 0 or not (after or self._calls):
                return (yield from self._ruin(at if self._calls else start))
            if not after:
                return self._calls, end, self._opening != FUNCTION
            end = after

    def _one(self, at: int) -> Waiting[int]:
        """Behind the next call of this tag, or behind what parts two; 0 when none follows,
        -1 when one does that cannot be read."""
        cursor = self._cursor
        if not (yield from cursor.has(at)):
            return 0
        if (yield from cursor.literal(at, (FUNCTION,))):
            return (yield from self._function(at))
        if cursor.chars[at] in "{[":
            known = yield from cursor.literal(at, _TAGS)
            return 0 if known else (yield from self._json(at))
        if cursor.chars[at] == "`":
            return (yield from self._bars(at))
        if self._calls and self._opening != DEEPSEEK:
            # One brace too many, and what parts several calls, is no word of the answer.
            return at + 1 if cursor.chars[at] in "}],;" else 0
        if self._opening in _HEADS:
            return (yield from self._named(at))
        return (yield from self._in_words(at))

    def _bars(self, at: int) -> Waiting[int]:
        """Behind the line that opens a fence around the call, or the bars that close it."""
        end = yield from self._cursor.run_end(at)
        if end - at < 3 or (self._calls and not self._fence):
            return 0
        while not self._calls and (yield from self._cursor.has(end)):
            if not self._cursor.chars[end].isalpha():
                break
            end += 1
        self._fence = not self._fence
        return end

    def _in_words(self, at: int) -> Waiting[int]:
        """GLM's way, a name and its keys up to the closing tag, and Llama's, a line of Python."""
        cursor, end = self._cursor, at
        if self._opening == LLAMA:
            while (yield from cursor.has(end)) and cursor.chars[end] not in "\n<":
                end += 1
            call = python_call(cursor.text(at, end), self._names)
            self._calls += [call] if call else []
            return end if call else 0
        while (yield from cursor.has(end)) and _NAME.match(cursor.chars[end]):
            end += 1
        after = yield from cursor.skip_space(end)
        name = cursor.text(at, end)
        if (yield from self._closing_at(after)) and name in self._names:
            self._calls.append(named(name, {}, self._names))
            return after
        if end == at or not (yield from cursor.literal(after, ("<arg_key>",))):
            return 0
        end = after
        while (yield from cursor.has(end)) and not (yield from self._closing_at(end)):
            end += 1
        found = _KEY.findall(cursor.text(after, end))
        values = {key: _typed(value.strip()) for key, value in found}
        whole = end < len(cursor.chars)
        broken = Called("", name, problem=MALFORMED)
        self._calls.append(named(name, values, self._names) if whole else broken)
        return end

    def _json(self, at: int) -> Waiting[int]:
        end = yield from self._value_end(at)
        if not end:
            return -1
        try:
            value = loaded(self._cursor.text(at, end))
        except ValueError:
            self._calls.append(malformed(self._cursor.text(at, end)))
        else:
            self._calls += calls_in(value, self._names)
        return end

    def _value_end(self, at: int) -> Waiting[int]:
        """Behind the JSON that begins there, 0 if it is none. A closing tag may stand in one of
        its texts; when that text then goes over the end of its line, it was the tag."""
        scan, passed, end = JsonScan(), False, at
        while scan.going_on and (yield from self._cursor.has(end)):
            char = self._cursor.chars[end]
            if passed and scan.in_string and char == "\n":
                return 0
            scan.feed(char)
            end += 1
            passed = scan.in_string and (passed or self._ends_with_closing(end))
        return end if scan.closed else 0

    def _function(self, at: int) -> Waiting[int]:
        end = at
        while (yield from self._cursor.has(end)):
            end += 1
            if self._cursor.chars[end - 1] == ">" and self._ends(end, ("</function>",)):
                break
            if self._ends_with_closing(end):
                end -= len(self._closings[0])
                break
        found = _FUNCTION.match(self._cursor.text(at, end))
        if found is None:
            return 0
        self._calls.append(_in_parameters(found[1], found[2], self._names))
        return end

    def _named(self, at: int) -> Waiting[int]:
        """A name, and the arguments behind it: Mistral's newer way, and DeepSeek's."""
        brace = at
        while (yield from self._cursor.has(brace)) and self._cursor.chars[brace] != "{":
            brace += 1
            over = self._opening == MISTRAL and self._cursor.chars[brace - 1] in "\n<"
            if over or brace - at > 200:
                return 0
        head = _HEADS[self._opening].fullmatch(self._cursor.text(at, brace).strip())
        end = (yield from self._value_end(brace)) if head else 0
        if head and end:
            text = self._cursor.text(brace, end)
            self._calls.append(named(head["name"], text, self._names, head["id"] or ""))
        return (yield from self._behind_part(end)) if end and self._opening == DEEPSEEK else end

    def _behind_part(self, end: int) -> Waiting[int]:
        """Behind the bars and the token that end one of DeepSeek's calls, as far as they stand."""
        for each in ("```", "<｜tool▁call▁end｜>"):
            at = yield from self._cursor.skip_space(end)
            found = yield from self._cursor.literal(at, (each,))
            end = at + len(found) if found else end
        return end

    def _ruin(self, start: int) -> Waiting[Found | None]:
        """Up to the closing tag, the next opening one or the end of the paragraph."""
        cursor, end, blank = self._cursor, start, False
        first = yield from cursor.skip_space(start)
        json = first < len(cursor.chars) and cursor.chars[first] in "{["
        while (yield from cursor.has(end)):
            char = cursor.chars[end]
            if char in "<[":
                closed = yield from self._closing_at(end)
                opened = yield from cursor.literal(end, OPENINGS)
                if closed or (opened and json):
                    return self._ruined(start, end, closed or end)
                if opened:
                    return None
            if (blank and char == "\n") or end - start > _LONGEST_RUIN:
                break
            blank = char == "\n" or (blank and char in " \t\r")
            end += 1
        return self._ruined(start, end, end) if json else None

    def _ruined(self, start: int, end: int, after: int) -> Found:
        return [*self._calls, malformed(self._cursor.text(start, end))], after, after == end

    def _closing_at(self, at: int) -> Waiting[int]:
        """Behind the closing tag that stands there, or 0."""
        found = yield from self._cursor.literal(at, self._closings)
        return at + len(found) if found else 0

    def _ends_with_closing(self, end: int) -> bool:
        return self._cursor.chars[end - 1] in ">]" and self._ends(end, self._closings)

    def _ends(self, end: int, spellings: Collection[str]) -> bool:
        return any(self._cursor.text(max(0, end - len(s)), end).lower() == s for s in spellings)


def _in_parameters(name: str, body: str, names: Collection[str]) -> Called:
    found = _PARAMETER.findall(body)
    if not found:
        text = re.sub(r"</function>\s*\Z", "", body).strip()
        return named(name, text or {}, names)
    return named(name, {key: _typed(value.strip()) for key, value in found}, names)


def _typed(value: str) -> object:
    """Numbers, truths, lists and objects are written as JSON, texts as they are."""
    try:
        found = loaded(value)
    except ValueError:
        return value
    return value if isinstance(found, str) else found
