"""The end of a JSON value, found while it still arrives, and early word that it is no call."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal

NAME_KEYS: Final = ("name", "tool", "tool_name", "function")
ARGUMENT_KEYS: Final = ("arguments", "parameters", "args", "params", "input")
ID_KEYS: Final = ("id", "tool_call_id", "call_id")
WRAPPER_KEYS: Final = ("function", "tool_call", "function_call", "tool_calls")
_CALL_KEYS: Final = frozenset((*NAME_KEYS, *ARGUMENT_KEYS, *ID_KEYS, *WRAPPER_KEYS, "type"))
_SCALARS: Final = frozenset("+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_SPACE: Final = frozenset(" \t\r\n")
_CLOSERS: Final = {"}": "{", "]": "["}

_Want = Literal["value", "first value", "key", "first key", "colon", "comma", "scalar"]


class JsonScan:
    """Takes a value one character after the other, each of them once.

    With `names` it is text that may be anything: `may_be_call` turns false as soon as it cannot
    be a call of one of these, and a line break in a string breaks it, as JSON has it. Without, it
    is inside a tag that says it is a call, and models are allowed their line breaks."""

    def __init__(self, names: Collection[str] | None = None) -> None:
        self.closed = False
        self.broken = False
        self.may_be_call = True
        self.in_string = False
        self._names = names
        self._stack: list[str] = []
        self._want: _Want = "value"
        self._escaped = False
        self._key = ""
        self._read: list[str] = []
        self._is_key = False

    @property
    def going_on(self) -> bool:
        return not self.closed and not self.broken

    def feed(self, char: str) -> None:
        """When it leaves the scan `broken`, the character is not part of the value."""
        if self.in_string:
            self._string(char)
        elif char in _SPACE:
            if self._want == "scalar":
                self._want = "comma"
        elif self._want == "scalar" and char in _SCALARS:
            pass
        elif self._want in ("comma", "scalar"):
            self._behind_a_value(char)
        elif self._want == "colon":
            self._step("value", allowed=char == ":")
        else:
            self._at_a_value(char)

    def _step(self, want: _Want, *, allowed: bool) -> None:
        self._want = want
        self.broken = not allowed

    def _at_a_value(self, char: str) -> None:
        if char in _CLOSERS:
            self._close(char, allowed=self._want.startswith("first"))
        elif char == '"':
            self._is_key = self._want in ("key", "first key")
            self.in_string, self._read = True, []
        elif self._want in ("key", "first key"):
            self.broken = True
        elif char in "{[":
            self._open(char)
        else:
            self._step("scalar", allowed=char in _SCALARS and bool(self._stack))
            self._refute(at_call=self._key in (*NAME_KEYS, "type"), in_list=True)

    def _open(self, char: str) -> None:
        self._refute(at_call=self._key in ("name", "tool", "tool_name", "type"), in_list=False)
        self.may_be_call = self.may_be_call and (char == "{" or self._stack != ["["])
        self._stack.append(char)
        self._want = "first key" if char == "{" else "first value"

    def _behind_a_value(self, char: str) -> None:
        if char == ",":
            self._want = "key" if self._stack[-1] == "{" else "value"
        else:
            self._close(char, allowed=True)

    def _close(self, char: str, *, allowed: bool) -> None:
        if not allowed or not self._stack or self._stack[-1] != _CLOSERS.get(char):
            self.broken = True
            return
        self._stack.pop()
        self._want = "comma"
        self.closed = not self._stack

    def _string(self, char: str) -> None:
        if self._escaped:
            self._escaped = False
        elif char == "\\":
            self._escaped = True
        elif char == '"':
            self._string_ends()
            return
        elif char == "\n" and self._names is not None:
            self.broken = True
        if self._names is not None and self._at_call and self.may_be_call:
            self._read.append(char)
            self._watch(whole=False)

    def _string_ends(self) -> None:
        self.in_string = False
        self._want = "colon" if self._is_key else "comma"
        if self._names is not None and self.may_be_call:
            if self._at_call:
                self._watch(whole=True)
            elif self._stack == ["["]:
                self.may_be_call = False
        if self._is_key:
            self._key = "".join(self._read) if self._at_call else ""

    @property
    def _at_call(self) -> bool:
        """Whether it reads what is directly in the object that may be a call."""
        return self._stack in (["{"], ["[", "{"])

    def _watch(self, *, whole: bool) -> None:
        if self._is_key:
            possible: Collection[str] = _CALL_KEYS
        elif self._key in NAME_KEYS:
            possible = self._names or ()
        else:
            return
        text = "".join(self._read)
        fits = text in possible if whole else any(each.startswith(text) for each in possible)
        self.may_be_call = self.may_be_call and fits

    def _refute(self, *, at_call: bool, in_list: bool) -> None:
        """A name that is no text, or a list of something else than objects, is no call."""
        if (self._at_call and at_call) or (in_list and self._stack == ["["]):
            self.may_be_call = False
