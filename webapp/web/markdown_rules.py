"""What our Markdown does beyond CommonMark: formulas, tasks, links, East Asian text.

Rules of the parser that say nothing about HTML beyond token names; `markdown.py` renders them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from unicodedata import category, east_asian_width

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

from webapp.web.inline_marks import is_mark
from webapp.web.markdown_limits import line_at

MOST_FORMULA_LINES: Final = 200

_CLOSINGS: Final = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}
_DOLLARS: Final = re.compile(r"\$(?![\s$])[^$\n]{0,300}?(?<![\s\\])\$(?![\d$])")
_TASK: Final = re.compile(r"\[([ xX])\][ \t]")
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'`，。、；：！？）」』】》\u201c\u201d]{1,2000}")
_AFTER_ADDRESS: Final = ".,:;!?*_~"
"""Punctuation that ends a sentence around an address rather than the address itself."""


def install(md: MarkdownIt) -> None:
    md.inline.ruler.before("escape", "math", math_inline)
    md.block.ruler.before("fence", "math", math_block, {"alt": ["paragraph", "blockquote"]})
    for rule in (tasks, alignment, images_as_links, bare_addresses):
        md.core.ruler.push(rule.__name__, rule)


# East Asian text ---------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def is_wide(character: str) -> bool:
    """Chinese, Japanese or Korean, with the punctuation that goes with it."""
    return east_asian_width(character) in "WF"


class FriendlyInline(ParserInline):
    """Emphasis that also works where words have no spaces between them."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = _FriendlyState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


class _FriendlyState(StateInline):
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803
        """CommonMark's flanking rules, except that wide punctuation counts as a letter and a
        wide neighbour stands for a space: `**「引用」**です` and `**重要。**です` come out bold."""
        stop = start
        while stop < self.posMax and self.src[stop] == self.src[start]:
            stop += 1
        before, behind = self._before(start), self._behind(stop)
        left = _flanks(behind, before)
        right = _flanks(before, behind)
        opens = left and (canSplitWord or not right or _is_punctuation(before))
        closes = right and (canSplitWord or not left or _is_punctuation(behind))
        return Scanned(opens, closes, stop - start)

    def _before(self, at: int) -> str:
        while at and is_mark(self.src[at - 1]):
            at -= 1
        return self.src[at - 1] if at else " "

    def _behind(self, at: int) -> str:
        while at < self.posMax and is_mark(self.src[at]):
            at += 1
        return self.src[at] if at < self.posMax else " "


def _flanks(inner: str, outer: str) -> bool:
    """Whether a run of markers belongs to the word on its `inner` side."""
    if isWhiteSpace(ord(inner)):
        return False
    if not _is_punctuation(inner) or is_wide(inner):
        return True
    return isWhiteSpace(ord(outer)) or _is_punctuation(outer) or is_wide(outer)


def _is_punctuation(character: str) -> bool:
    return isMdAsciiPunct(ord(character)) or isPunctChar(character)


def joins_lines(before: str, behind: str) -> bool:
    """Whether a line end between two characters is no space: never inside Chinese or Japanese."""
    return all(is_wide(c) and category(c)[0] in "LP" and not _is_hangul(c) for c in before + behind)


def _is_hangul(character: str) -> bool:
    return "\uac00" <= character <= "\ud7a3" or "\u1100" <= character <= "\u11ff"


# Formulas: kept letter by letter, so that they can be read without any script ---------------


def math_inline(state: StateInline, silent: bool) -> bool:
    end = _math_end(state)
    if end < 0:
        return False
    if not silent:
        token = state.push("math", "span", 0)
        token.content = state.src[state.pos : end]
    state.pos = end
    return True


def _math_end(state: StateInline) -> int:
    src, start = state.src, state.pos
    opening = src[start : start + 2]
    if opening not in _CLOSINGS:
        found = _DOLLARS.match(src, start, state.posMax) if opening[:1] == "$" else None
        return found.end() if found else -1
    closing = _CLOSINGS[opening]
    # The last place where it could close is remembered by the state: looking for each opening
    # anew would cost the square of a text full of them.
    if state.html_terminator_last(closing) >= start + 2:
        end = src.find(closing, start + 2, state.posMax)
        if end >= 0:
            return end + 2
    return state.posMax if state.env.get("open") else -1


def math_block(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:  # noqa: N803
    """Lines from `\\[` or `$$` to the closing at the end of a line, with no empty line between.
    While a text is open its last formula may still lack the closing."""
    first = line_at(state, startLine)
    closing = _CLOSINGS.get(first[:2], "") if first[:2] != "\\(" else ""
    if not closing or state.is_code_block(startLine):
        return False
    after = _line_behind_math(state, startLine, endLine, first[2:], closing)
    if after < 0:
        return False
    if not silent:
        token = state.push("math_block", "p", 0)
        token.content = state.getLines(startLine, after, state.blkIndent, False).strip()
        token.map = [startLine, after]
        token.meta["ended"] = closing in token.content[2:]
        state.line = after
    return True


def _line_behind_math(state: StateBlock, at: int, end: int, rest: str, closing: str) -> int:
    if closing in rest:
        return at + 1 if rest.rstrip().endswith(closing) and rest.count(closing) == 1 else -1
    last = min(end, at + MOST_FORMULA_LINES)
    for line in range(at + 1, last):
        text = line_at(state, line)
        if not text or state.sCount[line] < state.blkIndent:
            return -1
        if closing in text:
            return line + 1 if text.rstrip().endswith(closing) else -1
    return end if state.env.get("open") and last == end else -1


# Lists, tables, images and links -----------------------------------------------------------------


def tasks(state: StateCore) -> None:
    """`[ ]` and `[x]` at the start of a list item become its marker, by a class."""
    for item, paragraph, inline in zip(
        state.tokens, state.tokens[1:], state.tokens[2:], strict=False
    ):
        if item.type != "list_item_open" or paragraph.type != "paragraph_open":
            continue
        found = _TASK.match(inline.content)
        first = inline.children[0] if inline.children else None
        if not found or first is None or not first.content.startswith(found[0].rstrip()):
            continue
        item.attrs["class"] = "task done" if found[1] in "xX" else "task"
        first.content = first.content[3:].lstrip()


def alignment(state: StateCore) -> None:
    """Columns are aligned by classes: the page forbids inline styles."""
    for token in state.tokens:
        if token.type in ("th_open", "td_open") and "style" in token.attrs:
            side = str(token.attrs.pop("style")).removeprefix("text-align:")
            token.attrs["class"] = side


def images_as_links(state: StateCore) -> None:
    """Nothing is loaded from afar: an image becomes a link to it, or words inside a link."""
    for inline in state.tokens:
        if inline.children and any(token.type == "image" for token in inline.children):
            inline.children = _without_images(inline.children)


def _without_images(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    inside = 0
    for token in tokens:
        inside += token.type == "link_open"
        inside -= token.type == "link_close"
        out += [token] if token.type != "image" else _image_words(token, inside > 0)
    return out


def _image_words(image: Token, inside_link: bool) -> list[Token]:
    address = str(image.attrs.get("src", ""))
    words = f"image: {_words(image).strip() or address}"
    return [_text(words)] if inside_link else _link(address, words, {"class": "image"})


def _words(token: Token) -> str:
    """The text of a token and of all that is in it, without markup."""
    if token.children:
        return "".join(_words(child) for child in token.children)
    return " " if token.type in ("softbreak", "hardbreak") else token.content


def bare_addresses(state: StateCore) -> None:
    """`https://…` in running text becomes a link."""
    for inline in state.tokens:
        if inline.type == "inline" and inline.children and "://" in inline.content:
            inline.children = _linked(state.md, inline.children)


def _linked(md: MarkdownIt, tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    inside = 0
    for token in tokens:
        inside += token.type == "link_open"
        inside -= token.type == "link_close"
        plain = token.type != "text" or inside or "://" not in token.content
        out += [token] if plain else _split_at_addresses(md, token.content)
    return out


def _split_at_addresses(md: MarkdownIt, text: str) -> list[Token]:
    out: list[Token] = []
    done = 0
    for found in _ADDRESS.finditer(text):
        shown = _trimmed(found[0])
        if not md.validateLink(shown):
            continue
        out.append(_text(text[done : found.start()]))
        out += _link(md.normalizeLink(shown), shown, {})
        done = found.start() + len(shown)
    return [*out, _text(text[done:])]


def _trimmed(address: str) -> str:
    """Without the sentence's own punctuation, and without a bracket it does not open."""
    address = address.rstrip(_AFTER_ADDRESS)
    for opening, closing in ("()", "[]"):
        while address.endswith(closing) and address.count(closing) > address.count(opening):
            address = address[:-1].rstrip(_AFTER_ADDRESS)
    return address


def _link(address: str, words: str, attrs: dict[str, str]) -> list[Token]:
    opening = Token("link_open", "a", 1, attrs={"href": address, **attrs})
    return [opening, _text(words), Token("link_close", "a", -1)]


def _text(words: str) -> Token:
    return Token("text", "", 0, content=words)
