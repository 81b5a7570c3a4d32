"""The written list of what HTML made from a model's text may hold. Whatever is not here goes.

The Markdown parser passes no HTML through, so this is the second wall: no handler, no style, no
id, no `hx-…` or `data-…` attribute that htmx reads, no image, and links of three schemes only.
"""

from __future__ import annotations

import re
from typing import Final

import nh3
from pygments.token import STANDARD_TYPES

HIGHLIGHT: Final = "hl-"
SCHEMES: Final = frozenset({"http", "https", "mailto"})

_INLINE: Final = {"a", "br", "code", "del", "em", "s", "span", "strong"}
_BLOCKS: Final = {"blockquote", "div", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "p", "pre"}
_LISTS: Final = {"li", "ol", "ul", "table", "tbody", "td", "th", "thead", "tr"}
_FORMULAS: Final = {"math", "mi", "mn", "mo", "mtext", "mspace", "mrow", "mtable", "mtr", "mtd"}
_SCRIPTS: Final = {"msub", "msup", "msubsup", "munder", "mover", "munderover"}
_BUILT: Final = {"mfrac", "msqrt", "mroot"}
_CLASSES: Final = {
    "a": {"image"},
    "button": {"copy"},
    "div": {"code", "code-head", "table"},
    "li": {"task", "done"},
    "p": {"note"},
    "mrow": {"boxed", "overline", "underline"},
    "mtable": {"aligned", "cases"},
    "pre": {"plain"},
    "span": {"code-name", "image", "math"} | {HIGHLIGHT + name for name in STANDARD_TYPES.values()},
    "td": {"left", "center", "right"},
    "th": {"left", "center", "right"},
}
_VALUES: Final = {
    "button": {"type": {"button"}, "data-copy": {""}},
    "div": {"tabindex": {"0"}},
    "math": {"display": {"block"}},
    "mfrac": {"linethickness": {"0"}},
    "mi": {"mathvariant": {"normal"}},
    "mo": {"stretchy": {"true", "false"}, "movablelimits": {"true"}},
    "mover": {"accent": {"true"}},
    "munder": {"accentunder": {"true"}},
    "pre": {"tabindex": {"0"}},
}
_CLEANER: Final = nh3.Cleaner(
    tags=_INLINE | _BLOCKS | _LISTS | _FORMULAS | _SCRIPTS | _BUILT | {"button"},
    attributes={
        "a": {"href", "title"},
        "ol": {"start"},
        "mo": {"lspace", "rspace"},
        "mspace": {"width"},
    },
    tag_attribute_values=_VALUES,
    allowed_classes=_CLASSES,
    set_tag_attribute_values={"a": {"target": "_blank"}},
    link_rel="noopener noreferrer nofollow",
    url_schemes=set(SCHEMES),
    url_relative="deny",
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def clean(html: str) -> str:
    """`html` with nothing left that is not on the list."""
    return _CLEANER.clean(html)


def escaped(text: str) -> str:
    """`text` as it stands between two tags or in a quoted attribute."""
    return text.translate(_ENTITIES)


def sendable(text: str) -> str:
    """`text` as UTF-8 can carry it, with `\\n` as its only line end: halves of surrogate pairs
    are joined, what is left of them and NUL become U+FFFD."""
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}")
