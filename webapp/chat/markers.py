"""Markers in an answer's text that point to the passages behind its sentences.

A marker is the number of its passage, from 1, between two characters that Unicode reserves for a
program's own use, so that nothing a reader sees can be taken for one. Where a text has them all
the same they are written with a third before them, and taking the markers away gives back every
character. What lays out Markdown has to treat both as punctuation that ends an address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from webapp.chat.grounding import Mark
from webapp.chat.protected import is_protected, protected_spans

OPEN: Final = "\ufdd0"
CLOSE: Final = "\ufdd1"
ESCAPE: Final = "\ufdd2"
MARKER: Final = re.compile(f"{OPEN}(?P<number>[0-9]+){CLOSE}|{ESCAPE}(?P<own>[{OPEN}-{ESCAPE}])")
"""A marker, or a character of the text itself that looks like a part of one."""

_OWN: Final = re.compile(f"[{OPEN}-{ESCAPE}]")


def placed(text: str, marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """The marks that have a place in the text, in the order in which markers are written: behind
    a visible character, and in no code, link, formula or sign of Markdown."""
    spans = protected_spans(text)
    fit = (
        mark
        for mark in marks
        if 0 < mark.at <= len(text)
        and not text[mark.at - 1].isspace()
        and not is_protected(text, spans, mark.at)
    )
    return tuple(sorted(fit, key=lambda mark: mark.at))


def with_markers(text: str, marks: Sequence[Mark]) -> str:
    """`without_markers` of this is `text` again, whatever stands in it."""
    pieces: list[str] = []
    start = 0
    for mark in placed(text, marks):
        pieces += [_escaped(text[start : mark.at]), f"{OPEN}{mark.passage + 1}{CLOSE}"]
        start = mark.at
    return "".join([*pieces, _escaped(text[start:])])


def without_markers(text: str) -> str:
    return MARKER.sub(lambda found: found["own"] or "", text)


def _escaped(text: str) -> str:
    return _OWN.sub(lambda found: ESCAPE + found[0], text)
