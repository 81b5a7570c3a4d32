"""Texts after which a heading is a heading: code and HTML that were left open are closed.

Most texts are settled by a look at their lines; the others are asked of a real parser, which also
confirms that the closing was right.
"""

from __future__ import annotations

import re
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from webapp.chat.thread_markdown import fenced

_MARK: Final = "end"
_FENCE: Final = re.compile(r"^(?P<at>[ \t>]*)(?P<sign>`{3,}|~{3,})(?P<info>[^\r\n]*)", re.MULTILINE)
_HTML: Final = re.compile(r"<[!?a-zA-Z]")
_ENDS: Final = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"))
_RAW: Final = ("script", "pre", "style", "textarea")
_PARSER: Final = MarkdownIt("commonmark", {"maxNesting": 100})
_PARSER.core.ruler.enableOnly(["normalize", "block"])


def closed(text: str) -> str:
    """`text` with what it needs at its end; all of it as code if nothing else helps."""
    if _is_plainly_closed(text):
        return text
    found = text
    for _ in range(3):
        missing = _missing(found)
        if not missing:
            return found
        found = f"{found}\n{missing}"
    return fenced(text)


def _is_plainly_closed(text: str) -> bool:
    """True only if that is certain: no HTML, plain line ends, fences at the very left in pairs."""
    if _HTML.search(text) or "\r" in text:
        return False
    opened = ""
    for found in _FENCE.finditer(text):
        sign, info = found["sign"], found["info"]
        if found["at"]:
            return False
        if not opened:
            opened = "" if sign[0] == "`" and "`" in info else sign
        elif sign.startswith(opened) and not info.strip(" \t"):
            opened = ""
    return not opened


def _missing(text: str) -> str:
    """What would close the block that takes in a heading behind the text; empty for none."""
    tokens = _PARSER.parse(f"{text}\n\n# {_MARK}\n")
    heading = tokens[-3:]
    if [each.type for each in heading] == ["heading_open", "inline", "heading_close"]:
        return "" if (heading[0].level, heading[1].content) == (0, _MARK) else "\n"
    return _end_of(tokens[-1])


def _end_of(block: Token) -> str:
    if block.type == "fence":
        return block.markup
    begun = block.content.lstrip().lower()
    for start, end in _ENDS:
        if begun.startswith(start.lower()):
            return end
    name = next((name for name in _RAW if begun.startswith(f"<{name}")), "")
    return f"</{name}>" if name else "\n"
