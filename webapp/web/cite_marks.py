"""An answer with what is known of its sentences: numbers that lead to passages, ticked or crossed
quotes, and sentences that no passage supports.

The words are laid out twice, with marks in them and without. Where a mark changed what comes out,
the block without marks is shown: a reader never sees anything but the model's own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from webapp.chat.thinking import split
from webapp.web.cited import Cited
from webapp.web.inline_marks import ONE, Kind, is_mark, mark, read_mark, with_marks, without_marks
from webapp.web.markdown import References, answer_blocks, part_blocks
from webapp.web.safe_html import escaped, sendable

_PIECE: Final = re.compile(
    '(?P<tag><(?:"[^"]*"|[^">])*>)|(?P<mark>[\ufdd0-\ufdd3][\ufde0-\ufde9]*)'
    "|(?P<words>[^<\ufdd0-\ufdd3]+)|."
)
# Nothing is put inside these, but behind them.
_CLOSED: Final = frozenset({"a", "button", "code", "math", "pre"})
_NAME: Final = re.compile(r"</?([a-z0-9]+)")
NOT_FOUND: Final = "not found in the files"

Shown = Callable[[Kind, int], str]
"""HTML for a mark of that kind and number."""


def cited_html(text: str, known: Cited, at: str) -> str:
    """`at` is the address of the message. Safe HTML of a finished answer."""
    plain = answer_blocks(sendable(text))
    marked = _marked_blocks(text, known)
    if len(plain) != len(marked):
        return "".join(plain)
    show = _shown(known, at)
    pairs = zip(plain, marked, strict=True)
    return "".join(
        _filled(ours, show) if without_marks(ours) == theirs else theirs for theirs, ours in pairs
    )


def _marked_blocks(text: str, known: Cited) -> list[str]:
    references: References = {}
    blocks: list[str] = []
    marks, start = list(_marks(known, text)), 0
    for part in split(text, finished=True):
        words = part.text
        if part.kind == "text":
            here = [(at - start, each) for at, each in marks]
            words = with_marks(words, here)
            # As `spoken` joins the parts, which is what the places count in.
            start += len(part.text) + 2
        blocks += part_blocks(replace(part, text=sendable(words)), references)
    return blocks


def _marks(known: Cited, text: str) -> Iterator[tuple[int, str]]:
    """In the order in which those at one place shall stand."""
    if any(map(is_mark, text)):
        return
    for number, (_, end) in enumerate(known.unsupported):
        yield end, mark("end", number)
    for number, quote in enumerate(known.quotes):
        yield quote.end, mark("quote", number)
    for number, support in enumerate(known.supports):
        yield support.at, mark("support", number)
    for number, (start, _) in enumerate(known.unsupported):
        yield start, mark("begin", number)


def _shown(known: Cited, at: str) -> Shown:
    def link(number: int) -> str:
        support = known.supports[number]
        source = known.sources[support.source]
        place = ", ".join(filter(None, (source.file, support.place or source.place)))
        name = escaped(f"Source {source.number}: similar passage in {place}")
        href = escaped(f"{at}/passages/{source.number}?mark={number}")
        id = escaped(f"cite-{at.rpartition('/')[2]}-{number}")
        return f'<a class="cite" id="{id}" href="{href}" aria-label="{name}">{source.number}</a>'

    def tick(number: int) -> str:
        found = known.quotes[number].source
        if found is None:
            return _sign("crossed", NOT_FOUND, "✗")
        return _sign("ticked", f"found word for word in {known.sources[found].file}", "✓")

    def show(kind: Kind, number: int) -> str:
        if kind == "support":
            return link(number)
        return tick(number) if kind == "quote" else ""

    return show


def _sign(name: str, meaning: str, sign: str) -> str:
    label = escaped(sendable(meaning))
    return (
        f'<span class="quoted {name}" role="img" aria-label="{label}" title="{label}">{sign}</span>'
    )


def _filled(html: str, show: Shown) -> str:
    """Marks turned into what they stand for; each stretch of words between a beginning and its
    end is wrapped by itself, since it may reach over tags."""
    out: list[str] = []
    waiting: list[str] = []
    inside, bare = 0, False
    for piece in _PIECE.finditer(html):
        whole, place = piece[0], waiting if inside else out
        if piece["tag"]:
            out.append(whole)
            name = _NAME.match(whole)
            if name and name[1] in _CLOSED:
                inside += -1 if whole.startswith("</") else 1
            if not inside:
                out += waiting
                waiting.clear()
        elif found := ONE.fullmatch(whole):
            kind, number = read_mark(found)
            bare = kind == "begin" or (bare and kind != "end")
            place.append(_end_word() if kind == "end" else show(kind, number))
        else:
            wrapped = bare and not whole.isspace()
            out.append(f'<span class="bare">{whole}</span>' if wrapped else whole)
    return "".join([*out, *waiting])


def _end_word() -> str:
    return '<span class="bare-word">not in your files</span>'
