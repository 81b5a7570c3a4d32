"""Code as a block: a head with the language and a copy button, and coloured once it is whole."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from pygments import format
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from webapp.web.safe_html import HIGHLIGHT, escaped

MOST_HIGHLIGHTED: Final = 50_000  # characters; colouring is the slowest part by far
HIGHLIGHT_SECONDS: Final = 1.0

_Lexed = tuple[Any, str]

_NAME: Final = re.compile(r"[\w+#.*/-]{1,40}")
_FORMATTER: Final = HtmlFormatter(nowrap=True, classprefix=HIGHLIGHT)
_PLAIN: Final = frozenset({"", "text", "plain", "plaintext", "txt", "output", "none"})


class _TooSlow(Exception):
    """A lexer took longer than a reader should wait."""


def code_html(code: str, info: str) -> str:
    """A whole block of `code`, coloured; `info` is what stands behind the opening fence."""
    before, after = code_frame(info)
    lexer_name, _ = _lexer_names(_language(info))
    return before + (_highlighted(code, lexer_name) if lexer_name else escaped(code)) + after


def code_frame(info: str) -> tuple[str, str]:
    """The HTML before and after the escaped code of a block."""
    _, shown_name = _lexer_names(_language(info))
    before = (
        f'<div class="code"><div class="code-head"><span class="code-name">{escaped(shown_name)}'
        '</span><button class="copy" type="button" data-copy="">Copy</button></div>'
        '<pre tabindex="0"><code>'
    )
    return before, "</code></pre></div>\n"


def _language(info: str) -> str:
    """The word that names the language: `{.python}`, `python:main.py`, `python title="a"`."""
    words = info.strip().lstrip("{. ").split(maxsplit=1)
    found = _NAME.match(words[0]) if words else None
    return found[0] if found else ""


@lru_cache(maxsize=256)
def _lexer_names(language: str) -> tuple[str, str]:
    """The lexer's name ("" for none) and what a reader sees of it."""
    if language.lower() in _PLAIN:
        return "", "Text"
    try:
        return language.lower(), str(get_lexer_by_name(language.lower()).name)
    except ClassNotFound:
        return "", language


@lru_cache(maxsize=64)
def _highlighted(code: str, lexer_name: str) -> str:
    if not code or len(code) > MOST_HIGHLIGHTED:
        return escaped(code)
    lexer = get_lexer_by_name(lexer_name, stripnl=False, ensurenl=False)
    try:
        return str(format(_in_time(lexer.get_tokens(code)), _FORMATTER))
    except _TooSlow:
        return escaped(code)


def _in_time(tokens: Iterable[_Lexed]) -> Iterator[_Lexed]:
    """The same tokens, as long as they come within `HIGHLIGHT_SECONDS`."""
    last = time.monotonic() + HIGHLIGHT_SECONDS
    for token in tokens:
        if time.monotonic() > last:
            raise _TooSlow
        yield token
