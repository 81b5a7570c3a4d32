"""The sentences of an answer, with the place of each: prose only, in European and East Asian
writing. A stop ends no sentence in abbreviations, numbers, initials, addresses and code."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from webapp.chat.markdown_lines import lines_of
from webapp.chat.protected import Spans, blocks, spans_within

SHORTEST: Final = 12
SHORTEST_CJK: Final = 6

_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_LETTER: Final = re.compile(r"[^\W_]")
_STEP: Final = re.compile(
    r"(?P<escaped>\\[*_~\"])|(?P<end>[.!?…؟۔।॥።։។။。！？｡．]+)"
    r"|(?P<marks>\*+|_+|~~)|(?P<quote>[\"“”„«»])"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WIDE_END: Final = re.compile(r"[。！？｡]")
_CLOSER: Final = re.compile(
    r"[)\]}’”）」』】》〉›＂］｝〕]|\\[*_~\"')\]]|\[\^?\d{1,3}\](?!\()|[¹²³⁰-⁹]+"
    r"|[ \u00a0\u202f]»(?=\s|$)"
)
_WORD_BEFORE: Final = re.compile(r"(?:[^\W\d_]\.){0,8}[^\W_]{1,40}\Z")
_WORD: Final = re.compile(r"[\"'“„«‘(\[*_]*([^\W_]+)")
_NEVER: Final = _words(
    "mr mrs ms dr prof st sr jr fig figs eq eqs sec al vs cf nr bzw ca z.b u.a d.h i.e "
    "e.g s.o s.u v.a o.ä u.u i.d.r hr fr frau evtl ggf sog inkl zzgl vgl approx dept gen "
    "col sgt rev hon mt ing dipl bspw resp abb tab str tel ed eds viz capt lt gov sen "
    "sra srta dra avda dña p.ej sig sigg dott bijv dhr mevr d.w.z m.b.t o.a t.ex bl.a f.eks "
    "np tzn tzw zob inż mgr ul m.in např tzv bkz doç т.е т.к см рис ул им проф напр"
)
_BEFORE_NUMBER: Final = _words(
    "no art s abs kap bd p pp vol ch jan feb mar apr jun jul aug sep sept oct okt nov dec "
    "dez ver v nos par ziff rn núm pág págs cap pag pagg стр гл ст п rys"
)
_MAYBE: Final = _words(
    "etc usw inc ltd co corp a.m p.m u.s u.k d.c ph.d gmbh est ff ave blvd min max temp "
    "ecc itd itp vb m.m т.д т.п др тыс млн млрд руб"
)
_STARTERS: Final = _words(
    "the it this that these those we he she they i you in on at a an then there but and "
    "so if when die der das es er sie wir ich ein eine dann dort aber und wenn im am "
    "il elle ils elles nous mais puis ella ellos pero esto luego poi questo ma hij zij maar dit "
    "он она оно они мы это потом затем но если там тогда ona oni ale potem"
)
_MONTHS: Final = _words(
    "januar jänner februar märz april mai juni juli august september oktober november "
    "dezember jahrhundert auflage kapitel absatz"
)
_ORDINAL_BEFORE: Final = re.compile(
    r"\b(?:am|der|die|das|dem|den|des|im|vom|zum|zur|ab|bis|seit|beim)\s+\d{1,2}\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` is `text[start:end]` of the whole; offsets are code points."""

    start: int
    end: int
    text: str


def sentences(markdown: str) -> tuple[Sentence, ...]:
    """Sentences of paragraphs, list items and rows of tables, in order. Headings claim nothing;
    what is too short to be compared is left out."""
    lines = lines_of(markdown)
    spans = spans_within(markdown, lines)
    found: list[Sentence] = []
    for start, end in blocks(markdown, lines, ("prose", "row")):
        for first, last in _Block(markdown, start, end, spans).parts():
            if _long_enough(markdown[first:last]) and _has_words(markdown, first, last, spans):
                found.append(Sentence(first, last, markdown[first:last]))
    return tuple(found)


def _long_enough(text: str) -> bool:
    wide = len(_CJK.findall(text))
    least = SHORTEST_CJK if wide * 2 >= len(_LETTER.findall(text)) and wide else SHORTEST
    return len(text) >= least


def _has_words(text: str, start: int, end: int, spans: Spans) -> bool:
    """Whether a letter stands outside code, links and formulas."""
    at = start
    first = max(0, bisect_right(spans, (start, -1)) - 1)
    for index in range(first, len(spans)):
        begin, stop = spans[index]
        if begin >= end:
            break
        if begin > at and _LETTER.search(text, at, begin):
            return True
        at = max(at, stop)
    return at < end and _LETTER.search(text, at, end) is not None


class _Block:
    """One paragraph, item or cell, read from left to right."""

    def __init__(self, text: str, start: int, end: int, spans: Spans) -> None:
        self._text, self._start, self._end = text, start, end
        self._spans = spans
        self._open: list[str] = []  # emphasis that has begun
        self._quoted = {'"': 0, "„": 0, "»": 0}

    def parts(self) -> Iterator[tuple[int, int]]:
        begin = at = self._start
        while step := _STEP.search(self._text, at, self._end):
            behind = self._behind_span(step.start())
            if behind > step.start():
                at = behind
                continue
            at = step.end()
            if step.lastgroup == "end":
                stop = self._behind_closers(at)
                if self._ends(step, stop):
                    yield self._trimmed(begin, stop)
                    begin = stop
                at = stop
            elif step.lastgroup == "marks":
                self._mark(step[0], step.start(), at)
            elif step.lastgroup == "quote":
                self._quote(step[0])
        yield self._trimmed(begin, self._end)

    def _behind_span(self, at: int) -> int:
        index = bisect_right(self._spans, (at, len(self._text) + 1)) - 1
        return self._spans[index][1] if index >= 0 else -1

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        part = self._text[start:end]
        start += len(part) - len(part.lstrip())
        return start, max(start, end - (len(part) - len(part.rstrip())))

    def _mark(self, sign: str, start: int, end: int) -> None:
        before = self._text[start - 1 : start] if start > self._start else " "
        behind = self._text[end : end + 1] if end < self._end else " "
        if self._open and self._open[-1] == sign and not before.isspace():
            self._open.pop()
        elif not behind.isspace() and len(self._open) < 50:
            self._open.append(sign)

    def _quote(self, sign: str) -> None:
        if sign == '"':
            self._quoted['"'] ^= 1
        elif sign in "„»":
            self._quoted[sign] = 1
        elif sign in "“”":
            self._quoted["„"] = 0
        elif sign == "«":
            self._quoted["»"] = 0

    def _behind_closers(self, at: int) -> int:
        """Behind brackets, quotes and emphasis that close right after the end of a sentence."""
        while at < self._end:
            if found := _CLOSER.match(self._text, at, self._end):
                at = found.end()
            elif self._text[at] in "\"“«»'":
                if not self._closes(at):
                    break
                self._quote(self._text[at])
                at += 1
            elif self._open and self._text.startswith(self._open[-1], at):
                at += len(self._open.pop())
            else:
                break
        return at

    def _closes(self, at: int) -> bool:
        sign = self._text[at]
        is_open = {'"': self._quoted['"'], "“": self._quoted["„"], "«": self._quoted["»"]}
        behind = self._text[at + 1 : at + 2] if at + 1 < self._end else " "
        return bool(is_open.get(sign)) or behind.isspace() or behind in ")]*_」』）.,"

    def _ends(self, step: re.Match[str], stop: int) -> bool:
        sign = step[0]
        if _WIDE_END.search(sign):
            return True
        behind = self._text[stop : stop + 1] if stop < self._end else " "
        before = self._text[step.start() - 1 : step.start()] if step.start() else " "
        if not behind.isspace():
            return sign[-1] not in "…" and all(map(_CJK.match, (before, behind)))
        word = _WORD.match(self._text, self._ink(stop), self._end)
        following = word[1] if word else ""
        lower = following[:1].islower()
        if sign[-1] in "!?" and not (lower and stop > step.end()):
            return True
        if lower and sign[-1] in ".…!?":
            return False
        return sign != "." or not self._abbreviates(step.start(), following)

    def _ink(self, at: int) -> int:
        while at < self._end and self._text[at].isspace():
            at += 1
        return at

    def _abbreviates(self, at: int, following: str) -> bool:
        """Whether the stop at `at` belongs to the word before it and ends nothing."""
        found = _WORD_BEFORE.search(self._text, max(self._start, at - 60), at)
        if not found or not following:
            return False
        word, next_word = found[0].lower(), following.lower()
        if word in _NEVER:
            return True
        if word in _BEFORE_NUMBER:
            return following[0].isdigit()
        if word.isdigit():
            return self._is_ordinal(at, word, next_word)
        if word in _MAYBE or (len(word) == 1 and word.isalpha()):
            chain = self._text[max(0, at - 4) : at]
            return next_word not in _STARTERS or bool(re.search(r"[a-zäöü]\.\s\w\Z", chain))
        return False

    def _is_ordinal(self, at: int, word: str, following: str) -> bool:
        if len(word) > 2 or following[0].isdigit():
            return False
        before = self._text[max(self._start, at - 20) : at]
        return following in _MONTHS or _ORDINAL_BEFORE.search(before) is not None
