"""Which marks of an answer have a place in its text, where the number of a passage can stand."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.chat.grounding import Mark
from webapp.chat.protected import is_protected, protected_spans


def placed(text: str, marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """The marks that have a place in the text, in the order of the text: behind a
    visible character, and in no code, link, formula or sign of Markdown."""
    spans = protected_spans(text)
    fit = (
        mark
        for mark in marks
        if 0 < mark.at <= len(text)
        and not text[mark.at - 1].isspace()
        and not is_protected(text, spans, mark.at)
    )
    return tuple(sorted(fit, key=lambda mark: mark.at))
