"""Markdown: the source as it is, its headings as sections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from webapp.documents.document import Document, Place
from webapp.documents.parsing.cleaning import one_line
from webapp.documents.parsing.encoding import decode
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.plain import lines_of

_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)")
_TITLE: Final = re.compile(r"title:[ \t]*(.+)")
_NO_PARAGRAPH: Final = re.compile(r"[ \t]*$|[ \t]*[>|#]|[ \t]*(?:[-*+]|\d+[.)])[ \t]| {4}|\t")
_LONGEST_HEADING: Final = 1_000


class MarkdownParser:
    name = "Markdown"
    suffixes = (".md", ".markdown", ".mdx", ".mkd", ".qmd", ".rmd")
    has_signature = False

    def recognises(self, source: Source) -> bool:
        return source.suffix in self.suffixes  # its bytes are those of plain text

    def parse(self, source: Source) -> Document:
        plain = lines_of(source, decode(source.data), self.name)
        headings = list(_headings(plain.text))
        title = _front_title(plain.text) or next((label for _, label, _ in headings), "")
        places = [*plain.places, *_sections(headings, len(plain.text))]
        places.sort(key=lambda place: (place.start, -place.end, place.kind))
        return Document(plain.text, tuple(places), title, plain.notes, plain.details)


def _sections(headings: list[tuple[int, str, int]], end: int) -> Iterator[Place]:
    starts = [*(start for start, _, _ in headings), end]
    for (start, label, depth), until in zip(headings, starts[1:], strict=True):
        yield Place(start, until, "heading", label[:200], depth)


def _headings(text: str) -> Iterator[tuple[int, str, int]]:
    """Offset, words and depth of each heading outside code and front matter."""
    at, fence, before = 0, "", (0, "")
    front = text.startswith("---\n")
    for number, line in enumerate(text.split("\n")):
        if front:
            front = number == 0 or line.rstrip() not in ("---", "...")
        elif fence:
            fence = "" if _closes(line, fence) else fence
        elif (opened := _FENCE.fullmatch(line)) and len(line) < _LONGEST_HEADING:
            fence = opened[1]
        elif len(line) < _LONGEST_HEADING:
            yield from _heading(at, line, before)
            before = (at, line)
            at += len(line) + 1
            continue
        before, at = (at, ""), at + len(line) + 1


def _heading(at: int, line: str, before: tuple[int, str]) -> Iterator[tuple[int, str, int]]:
    found = _HEADING.fullmatch(line)
    if found and found[2]:
        yield at, one_line(found[2]), len(found[1])
    elif (under := _UNDERLINE.fullmatch(line)) and not _NO_PARAGRAPH.match(before[1]):
        yield before[0], one_line(before[1]), 1 if under[1][0] == "=" else 2


def _closes(line: str, fence: str) -> bool:
    line = line.strip()
    return len(line) >= len(fence) and set(line) == {fence[0]}


def _front_title(text: str) -> str:
    if not text.startswith("---\n"):
        return ""
    for line in text.split("\n", 40)[1:40]:
        if line.rstrip() in ("---", "..."):
            break
        if found := _TITLE.fullmatch(line.rstrip()):
            return one_line(found[1]).strip("\"'")
    return ""
