"""Words of an answer that claim to stand in a file, and whether they do."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from webapp.chat.protected import protected_spans

FEWEST_WORDS: Final = 3
FEWEST_CJK: Final = 6

_PAIRS: Final = (
    ("“", "”"), ("„", "“"), ("„", "”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"),
    ('"', '"'),
)  # fmt: skip
_LONGEST: Final = 1000
_INLINE: Final = re.compile(
    "|".join(
        f"{opening}(?P<q{number}>(?:[^{opening}{closing}\n]|\n(?!\\s*\n)){{1,{_LONGEST}}}){closing}"
        for number, (opening, closing) in enumerate(_PAIRS)
    )
)
_BLOCK: Final = re.compile(r"(?:^ {0,3}>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_BLOCK_MARK: Final = re.compile(r"^ {0,3}(?:> ?)+", re.MULTILINE)
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_SIGNS: Final = re.compile(r"[*_`~\\\"'“”„‘’‚«»‹›「」『』\s\u00ad]+")
_ENDS: Final = " .,;:!?…。，、；：！？"
_LEFT_OUT: Final = re.compile(r"\[?(?:\.{3,}|…+)\]?")


@dataclass(frozen=True, slots=True)
class Quote:
    """`text` stands between `start` and `end` (code points), without its quotation marks."""

    start: int
    end: int
    text: str


def quotes(text: str) -> tuple[Quote, ...]:
    """In the order of the text: at least three words, or six Chinese, Japanese or Korean
    characters, between quotation marks or in a block of `>` lines; none in code."""
    blocks = [Quote(*_stripped(text, *found.span())) for found in _BLOCK.finditer(text)]
    blocks = [Quote(each.start, each.end, _BLOCK_MARK.sub("", each.text)) for each in blocks]
    starts = [each.start for each in blocks]

    def in_block(at: int) -> bool:
        index = bisect_right(starts, at) - 1
        return index >= 0 and at < blocks[index].end

    spans = protected_spans(text)
    found = [
        each
        for each in (*blocks, *(each for each in _inline(text) if not in_block(each.start)))
        if _is_long(each.text) and not _is_inside(spans, each)
    ]
    return tuple(sorted(found, key=lambda each: each.start))


def found_in(quote: Quote, passages: Sequence[str]) -> int | None:
    """Index of the first passage that holds it word for word. White space, the kind of quotation
    mark, emphasis, case of the first letter and the last stop do not count; what stands around an
    ellipsis has to come in that order."""
    parts = [folded(part).strip(_ENDS) for part in _LEFT_OUT.split(quote.text)]
    parts = [part for part in parts if part]
    for index, passage in enumerate(passages):
        if parts and _holds(folded(passage), parts):
            return index
    return None


def folded(text: str) -> str:
    return _SIGNS.sub(" ", unicodedata.normalize("NFKC", text)).casefold().strip()


def _holds(passage: str, parts: Sequence[str]) -> bool:
    at = 0
    for part in parts:
        at = passage.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def _inline(text: str) -> Iterator[Quote]:
    for found in _INLINE.finditer(text):
        inner = found.lastgroup or ""
        yield Quote(found.start(inner), found.end(inner), found[inner])


def _stripped(text: str, start: int, end: int) -> tuple[int, int, str]:
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end, text[start:end]


def _is_long(text: str) -> bool:
    return len(text.split()) >= FEWEST_WORDS or len(_CJK.findall(text)) >= FEWEST_CJK


def _is_inside(spans: Sequence[tuple[int, int]], quote: Quote) -> bool:
    """Whether all of it is code, a link or a formula."""
    index = bisect_right(spans, (quote.start, len(quote.text) + quote.end)) - 1
    return index >= 0 and spans[index][0] <= quote.start and quote.end <= spans[index][1]
