"""A model's text as safe HTML: finished answers, and the blocks of one that still grows.

The HTML of a text is the HTML of its top-level blocks, one after the other, and each is cleaned
by itself. That is what lets `blocks.py` send an answer block by block and end up with the same.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from itertools import accumulate
from typing import Any, Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from webapp.chat.thinking import Part, split
from webapp.web import markdown_limits, markdown_rules
from webapp.web.code_blocks import code_frame, code_html
from webapp.web.formulas import formula_html
from webapp.web.inline_marks import only_marks, without_marks
from webapp.web.markdown_limits import TooSlow, start_clock
from webapp.web.safe_html import SCHEMES, clean, escaped, sendable

MOST_MARKDOWN: Final = 200_000  # characters of one text; longer ones are shown as they are
MOST_NESTING: Final = 100
FINISHED_SECONDS: Final = 3.0
OPEN_SECONDS: Final = 0.5

TOO_MUCH: Final = "This text is too long to be laid out, so it is shown as it was written."

References = MutableMapping[str, Any]
"""Link definitions met so far, by name; filled by parsing."""


def to_html(text: str) -> str:
    """A whole answer: its thinking folded, the rest as Markdown. Any text, of any length."""
    return "".join(answer_blocks(sendable(text)))


def answer_blocks(text: str) -> list[str]:
    """A finished answer, given as `sendable` text, block by block."""
    references: References = {}
    blocks: list[str] = []
    for part in split(text, finished=True):
        blocks += part_blocks(part, references)
    return blocks


def part_blocks(part: Part, references: References) -> list[str]:
    """A finished part of an answer, block by block."""
    if part.kind == "thinking":
        return [thinking_html(part.text)]
    return markdown_blocks(part.text, references)


def thinking_html(text: str, *, open: bool = False) -> str:
    before, after = thinking_frame(open=open)
    return before + escaped(text) + after


def thinking_frame(*, open: bool) -> tuple[str, str]:
    """The HTML before and after the escaped words of thinking."""
    summary = "Thinking…" if open else "Thinking"
    before = f'<details class="thinking"><summary>{summary}</summary><div class="thought">'
    return before, "</div></details>\n"


def markdown_blocks(text: str, references: References) -> list[str]:
    """Finished Markdown, one piece of HTML for each block at the top level."""
    if len(text) > MOST_MARKDOWN:
        return [_as_it_was(text, TOO_MUCH)]
    try:
        return list(_rendered(_FINISHED, text, {"references": references}, FINISHED_SECONDS))
    except TooSlow:
        return [_as_it_was(text, TOO_MUCH)]


def open_html(text: str, references: References) -> str:
    """Markdown that is still being written: code is not coloured, a line under a paragraph does
    not make it a heading, and a formula may lack its end. `references` is left as it was."""
    env = {"references": dict(references), "open": True}
    try:
        return "".join(_rendered(_OPEN, text, env, OPEN_SECONDS))
    except TooSlow:
        return _as_it_was(text)


PLAIN_FRAME: Final = ('<pre class="plain" tabindex="0">', "</pre>\n")
"""Around escaped text that is shown letter by letter."""


def block_starts(lines: str, references: References) -> list[int]:
    """Where the top-level blocks of whole lines begin, in characters. Cheap: no inline parsing.
    A formula at the end that lacks its closing is left out: it may turn out to be none."""
    env = {"references": dict(references), "open": True}
    start_clock(env, OPEN_SECONDS)
    tokens: list[Token] = []
    try:
        _FINISHED.block.parse(lines, _FINISHED, env, tokens)
    except TooSlow:
        return []
    tops = [token for token in tokens if token.level == 0 and token.map]
    first_lines = [token.map[0] for token in tops if token.map and token.meta.get("ended", True)]
    offsets = list(accumulate((len(line) + 1 for line in lines.split("\n")), initial=0))
    return [offsets[line] for line in first_lines]


def _as_it_was(text: str, note: str = "") -> str:
    told = f'<p class="note">{note}</p>\n' if note else ""
    return told + PLAIN_FRAME[0] + escaped(text) + PLAIN_FRAME[1]


def _rendered(md: MarkdownIt, text: str, env: EnvType, seconds: float) -> Iterator[str]:
    start_clock(env, seconds)
    block: list[Token] = []
    for token in md.parse(text, env):
        block.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield clean(md.renderer.render(block, md.options, env))
            block = []


def _is_link(address: str) -> bool:
    """Only addresses that lead out of the page by a known scheme: no script, file or path."""
    try:
        return urlsplit(address.strip()).scheme.lower() in SCHEMES
    except ValueError:
        return False


# Rendering rules: what markdown-it-py calls with its renderer first.


def _fence(
    _: RendererHTML, tokens: Sequence[Token], at: int, _options: OptionsDict, env: EnvType
) -> str:
    code, info = tokens[at].content, tokens[at].info
    if not env.get("open"):
        return code_html(code, info)
    before, after = code_frame(info)
    return before + escaped(code) + after


def _math(
    _: RendererHTML, tokens: Sequence[Token], at: int, _options: OptionsDict, _env: EnvType
) -> str:
    source = tokens[at].content
    # Marks stand behind a formula: within, they would be taken for signs.
    laid_out = formula_html(without_marks(source))
    shown = laid_out + only_marks(source) if laid_out else escaped(source)
    formula = f'<span class="math">{shown}</span>'
    return f"<p>{formula}</p>\n" if tokens[at].type == "math_block" else formula


def _softbreak(
    _: RendererHTML, tokens: Sequence[Token], at: int, _options: OptionsDict, _env: EnvType
) -> str:
    """A line end inside Chinese or Japanese is nothing; a browser would show it as a space."""
    earlier = (without_marks(tokens[i].content) for i in range(at - 1, -1, -1))
    later = (without_marks(tokens[i].content) for i in range(at + 1, len(tokens)))
    before = next((words[-1] for words in earlier if words), " ")
    behind = next((words[0] for words in later if words), " ")
    return "" if markdown_rules.joins_lines(before, behind) else "\n"


def _table_open(
    _: RendererHTML, _tokens: Sequence[Token], _at: int, _options: OptionsDict, _env: EnvType
) -> str:
    return '<div class="table" tabindex="0"><table>\n'


def _table_close(
    _: RendererHTML, _tokens: Sequence[Token], _at: int, _options: OptionsDict, _env: EnvType
) -> str:
    return "</table></div>\n"


def _parser(*, open: bool) -> MarkdownIt:
    md = MarkdownIt("zero", {"html": False, "maxNesting": MOST_NESTING})
    md.inline = markdown_rules.FriendlyInline()
    md.configure("commonmark", {"html": False, "maxNesting": MOST_NESTING})
    md.enable(["table", "strikethrough"]).disable("html_inline").disable("html_block")
    markdown_rules.install(md)
    markdown_limits.install(md)
    if open:
        md.disable("lheading")
    md.validateLink = _is_link  # type: ignore[assignment, method-assign]
    for name, rule in _RULES.items():
        md.add_render_rule(name, rule)
    md.render("The rule tables are filled by the first text; two threads must not both do it.")
    return md


_RULES: Final = {
    "fence": _fence,
    "code_block": _fence,
    "math": _math,
    "math_block": _math,
    "softbreak": _softbreak,
    "table_open": _table_open,
    "table_close": _table_close,
}
_FINISHED: Final = _parser(open=False)
_OPEN: Final = _parser(open=True)
