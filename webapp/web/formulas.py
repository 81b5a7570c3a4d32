"""A formula in TeX as MathML, which browsers lay out by themselves: no script, no fonts to fetch.

What is not understood is no formula here: `mathml` returns None, and the page shows the words as
they were written. Nothing is guessed, nothing is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from webapp.web import formula_symbols as known
from webapp.web.formula_parts import (
    GRIDS,
    fence,
    letter,
    number,
    operator,
    row,
    scripted,
    space,
    table,
    text,
    upright,
)

LONGEST: Final = 4000  # characters of one formula
DEEPEST: Final = 40
ENDS: Final = {"$$": "$$", "\\[": "\\]", "\\(": "\\)", "$": "$"}

_TOKEN: Final = re.compile(r"\\[a-zA-Z]+\*?|\\.|\d+(?:\.\d+)?|[a-zA-Z]{4,}|\s+|.", re.DOTALL)
_ENDS_WORDS: Final = frozenset("{}$")
# Between single dollars: a word of prose, or words with nothing that reckons.
_PROSE: Final = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{3,}(?![A-Za-z}])")
_RECKONS: Final = re.compile(r"[\\^_=+\-*/<>|,]")
_TYPED: Final = {"-": "−", "*": "∗"}
_EMPTY: Final = row()
_BRACES: Final = {"\\{": "{", "\\}": "}", "\\|": "‖"}
_STOPS: Final = ("&", "\\\\", "}", "\\end")


class _Unknown(Exception):
    """Something that is not understood."""


def formula_html(source: str) -> str | None:
    """MathML for a formula with its ends, as `$…$`; None when it is to be shown as written."""
    start = next((each for each in ENDS if source.startswith(each)), "")
    inner = source[len(start) : -len(ENDS[start])] if start else ""
    if not inner.strip() or not source.endswith(ENDS[start]) or len(source) > LONGEST:
        return None
    if start == "$" and _is_prose(inner):
        return None
    return mathml(inner, display=start in ("$$", "\\["))


def _is_prose(inner: str) -> bool:
    plain = re.sub(r"\\(?:[a-zA-Z]+\*?\s*\{[^{}]*\}|[a-zA-Z]+)", "\\\\", inner)
    if _PROSE.search(plain):
        return True
    return " " in inner.strip() and not _RECKONS.search(inner)


def mathml(tex: str, *, display: bool = False) -> str | None:
    try:
        content = _Reader(tex).whole()
    except _Unknown:
        return None
    return f'<math display="block">{content}</math>' if display else f"<math>{content}</math>"


class _Reader:
    """Reads tokens from left to right; every method returns MathML for what it took."""

    def __init__(self, tex: str) -> None:
        self._tokens = _TOKEN.findall(tex)
        self._at = self._depth = 0

    def whole(self) -> str:
        grid = self._grid(lambda: self._peek() == "")
        return grid[0][0] if len(grid) == 1 and len(grid[0]) == 1 else table(grid, "aligned")

    def _peek(self) -> str:
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, wanted: str = "") -> str:
        piece = self._peek()
        if not piece or (wanted and piece != wanted):
            raise _Unknown
        self._at += 1
        return piece

    def _raw(self) -> str:
        """The words within the braces that follow, as they stand."""
        self._take("{")
        end = self._at
        while end < len(self._tokens) and self._tokens[end] not in _ENDS_WORDS:
            end += 1
        words, self._at = "".join(self._tokens[self._at : end]), end
        if self._take("}") and "\\" in words:
            raise _Unknown
        return words

    def _row(self, stops: Callable[[str], bool]) -> str:
        parts: list[str] = []
        while (piece := self._peek()) and not stops(piece):
            parts.append(self._scripted())
        return parts[0] if len(parts) == 1 else row(*parts)

    def _grid(self, ends: Callable[[], bool]) -> list[list[str]]:
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(self._row(lambda piece: piece in (*_STOPS, "\\right")))
            if ends():
                return rows[:-1] if len(rows) > 1 and rows[-1] == [_EMPTY] else rows
            if self._take() == "\\\\":
                if self._peek() == "[":  # how much room there is to be
                    while self._take() != "]":
                        pass
                rows.append([])
            elif self._tokens[self._at - 1] != "&":
                raise _Unknown

    def _group(self) -> str:
        """What a command takes: a group in braces, or one piece."""
        if self._peek() != "{":
            return self._digit() or self._atom() or _EMPTY
        self._take()
        content = self._row(lambda piece: piece in (*_STOPS, "\\right"))
        self._take("}")
        return content or _EMPTY

    def _digit(self) -> str:
        """The first of the digits that follow: no more is meant without braces."""
        digits = self._peek()
        if len(digits) < 2 or not digits.isdigit():
            return ""
        self._tokens[self._at] = digits[1:]
        return number(digits[0])

    def _scripted(self) -> str:
        base_token = self._peek()
        base = "" if base_token in ("^", "_", "'") else self._atom()
        low = high = ""
        primes: list[str] = []
        while (piece := self._peek()) in ("^", "_", "'", "\\limits", "\\nolimits"):
            self._take()
            if piece == "_" and not low:
                low = self._group()
            elif piece == "^" and high in ("", row(*primes)):
                high = row(*primes, self._group()) if primes else self._group()
            elif piece == "'" and high in ("", row(*primes)):
                primes.append(operator("′"))
                high = row(*primes)
            elif not piece.startswith("\\"):
                raise _Unknown
        name = base_token[1:]
        over = name in known.LARGE or name in known.LIMITS or name in ("underbrace", "overbrace")
        return scripted(base or _EMPTY, low, high, over=over) if low or high else base

    def _atom(self) -> str:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _Unknown
        found = self._one()
        self._depth -= 1
        return found

    def _one(self) -> str:
        piece = self._take()
        if piece.startswith("\\"):
            return self._command(piece[1:])
        if piece == "{":
            self._at -= 1
            return self._group()
        if piece in "}&^_#%$":
            raise _Unknown
        if piece[0].isdigit():
            return number(piece)
        if piece == "~":
            return space("0.25em")
        if piece.isalpha():
            return letter(piece) if piece < "\u2e80" else text(piece)
        return operator(_TYPED.get(piece, piece))

    def _command(self, name: str) -> str:
        if name in known.FUNCTIONS and self._peek() in ("(", "[", "\\left"):
            return upright(name)
        if name in known.PLAIN:
            return known.PLAIN[name]
        if name in known.ACCENTS or name in known.UNDER:
            return self._accented(name)
        if name in known.KINDS:
            return self._kind(name)
        if name in known.UPRIGHT:
            return upright(self._raw().strip())
        if name in known.WORDS:
            return text(self._raw())
        if name in known.SIZES:
            return self._delimiter(grows=False)
        if name not in _BUILT:
            raise _Unknown
        return _BUILT[name](self)

    def _accented(self, name: str) -> str:
        inner, sign = self._group(), known.ACCENTS.get(name) or known.UNDER[name]
        if name in ("overline", "underline"):
            return row(inner, name=name)
        stretches = "true" if name.startswith(("wide", "over", "under")) else "false"
        tag, way = ("munder", "accentunder") if name in known.UNDER else ("mover", "accent")
        return f'<{tag} {way}="true">{inner}<mo stretchy="{stretches}">{sign}</mo></{tag}>'

    def _kind(self, name: str) -> str:
        if self._peek().startswith("\\"):
            return self._atom()
        words = self._raw() if self._peek() == "{" else self._take()
        return upright("".join(known.letter_of(name, each) for each in words.strip()))

    def _delimiter(self, *, grows: bool) -> str:
        piece = self._take()
        sign = known.OPERATORS.get(piece[1:], _BRACES.get(piece, piece))
        if len(sign) != 1:
            raise _Unknown
        return fence("" if sign == "." else sign, grows=grows)

    def fenced(self) -> str:
        parts, last = [], "\\left"
        while last in ("\\left", "\\middle"):
            parts.append(self._delimiter(grows=True))
            parts.append(self._row(lambda piece: piece in ("\\right", "\\middle", *_STOPS)))
            last = self._take()
        if last != "\\right":
            raise _Unknown
        return row(*parts, self._delimiter(grows=True))

    def fraction(self) -> str:
        return f"<mfrac>{self._group()}{self._group()}</mfrac>"

    def binomial(self) -> str:
        inner = f'<mfrac linethickness="0">{self._group()}{self._group()}</mfrac>'
        return row(operator("("), inner, operator(")"))

    def root(self) -> str:
        if self._peek() != "[":
            return f"<msqrt>{self._group()}</msqrt>"
        self._take()
        degree = self._row(lambda piece: piece == "]")
        self._take("]")
        return f"<mroot>{self._group()}{degree}</mroot>"

    def stacked(self, tag: str) -> str:
        over, base = self._group(), self._group()
        return f"<{tag}>{base}{over}</{tag}>"

    def boxed(self) -> str:
        return row(self._group(), name="boxed")

    def negated(self) -> str:
        return self._atom().replace("</mo>", "\u0338</mo>", 1)

    def remainder(self) -> str:
        within = row(operator("("), letter("mod"), space("0.3em"), self._group(), operator(")"))
        return row(space("1em"), within)

    def tagged(self) -> str:
        return row(space("2em"), text(f"({self._raw()})"))

    def environment(self) -> str:
        name = self._raw()
        if name not in GRIDS:
            raise _Unknown
        if name in ("array", "alignedat"):
            self._raw()
        grid = self._grid(lambda: self._peek() == "\\end")
        self._take("\\end")
        if self._raw() != name:
            raise _Unknown
        return table(grid, name)


_BUILT: Final[dict[str, Callable[[_Reader], str]]] = {
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac"), _Reader.fraction),
    **dict.fromkeys(("binom", "dbinom"), _Reader.binomial),
    "sqrt": _Reader.root,
    "left": _Reader.fenced,
    **dict.fromkeys(("overset", "stackrel"), lambda reader: reader.stacked("mover")),
    "underset": lambda reader: reader.stacked("munder"),
    "boxed": _Reader.boxed,
    "not": _Reader.negated,
    "pmod": _Reader.remainder,
    "tag": _Reader.tagged,
    "begin": _Reader.environment,
}
