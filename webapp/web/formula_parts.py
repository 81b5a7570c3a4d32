"""The elements of MathML that formulas are made of. Pure."""

from __future__ import annotations

import re
from typing import Final

from webapp.web.safe_html import escaped

FENCES: Final = {
    "pmatrix": "()",
    "bmatrix": "[]",
    "Bmatrix": "{}",
    "vmatrix": "||",
    "Vmatrix": "‖‖",
    "cases": "{",
}
ALIGNED: Final = frozenset(
    [
        "aligned",
        "align",
        "align*",
        "alignedat",
        "gathered",
        "gather",
        "gather*",
        "split",
        "equation",
        "equation*",
        "eqnarray",
        "eqnarray*",
        "multline",
        "multline*",
    ]
)
_BRACKETS: Final = frozenset("()[]{}|‖⟨⟩⌊⌋⌈⌉")
GRIDS: Final = ALIGNED | {"matrix", "smallmatrix", "array"} | FENCES.keys()


def letter(sign: str) -> str:
    return f"<mi>{escaped(sign)}</mi>"


def upright(letters: str) -> str:
    return f'<mi mathvariant="normal">{escaped(letters)}</mi>'


def number(digits: str) -> str:
    return f"<mn>{digits}</mn>"


def operator(sign: str, *, limits: bool = False) -> str:
    """Brackets keep the height of a letter, unless a fence is asked for."""
    how = ' movablelimits="true"' if limits else ' stretchy="false"' if sign in _BRACKETS else ""
    return f"<mo{how}>{escaped(sign)}</mo>"


def fence(sign: str, *, grows: bool) -> str:
    return f'<mo stretchy="{str(grows).lower()}">{escaped(sign)}</mo>' if sign else ""


def word(name: str) -> str:
    """The name of a function, with the room that stands behind one."""
    return f'<mo lspace="0.1em" rspace="0.17em">{name}</mo>'


def text(words: str) -> str:
    """Words of prose; a space at their ends counts."""
    kept = re.sub(r"^\s|\s$", "\u00a0", words)
    return f"<mtext>{escaped(kept)}</mtext>"


def space(width: str) -> str:
    return f'<mspace width="{width}"></mspace>'


def row(*parts: str, name: str = "") -> str:
    return (
        f'<mrow class="{name}">{"".join(parts)}</mrow>'
        if name
        else f"<mrow>{''.join(parts)}</mrow>"
    )


def scripted(base: str, low: str, high: str, *, over: bool) -> str:
    """`over`: below and above where there is room, else to the right."""
    if low and high:
        tag = "munderover" if over else "msubsup"
        return f"<{tag}>{base}{low}{high}</{tag}>"
    one, two = ("munder", "mover") if over else ("msub", "msup")
    tag = one if low else two
    return f"<{tag}>{base}{low or high}</{tag}>"


def table(grid: list[list[str]], name: str) -> str:
    """What an environment holds, between the fences that it is named for."""
    kind = ' class="cases"' if name == "cases" else ' class="aligned"' if name in ALIGNED else ""
    rows = ("".join(f"<mtd>{cell}</mtd>" for cell in each) for each in grid)
    inner = f"<mtable{kind}>{''.join(f'<mtr>{each}</mtr>' for each in rows)}</mtable>"
    fences = [fence(each, grows=True) for each in FENCES.get(name, "")]
    return row(*fences[:1], inner, *fences[1:]) if fences else inner
