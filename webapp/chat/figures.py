"""Numbers in a text, in digits or in words: what a sentence must not get wrong. Pure.

Words of English, German, French and Spanish, and Chinese numerals. One and first are left out: most
of them count nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_ENGLISH: Final = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_GERMAN: Final = (
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn"
)
_FRENCH: Final = (
    "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze - dix-sept "
    "dix-huit dix-neuf"
)
_SPANISH: Final = (
    "dos tres cuatro cinco seis siete ocho nueve diez - doce trece catorce - dieciséis diecisiete "
    "dieciocho diecinueve"
)
_TENS: Final = (
    "twenty thirty forty fifty sixty seventy eighty ninety",
    "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix",
    "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
)
_ORDINALS: Final = "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_UNITS: Final = {
    word: number
    for row in (_ENGLISH, _GERMAN, _FRENCH, _SPANISH)
    for number, word in enumerate(row.split(), 2)
    if word != "-"  # seize, once, quince: another word in English
}
_UNITS_BY_ORDER: Final = {word: number for number, word in enumerate(_ORDINALS.split(), 3)}
_TENS_BY_WORD: Final = {
    word: 10 * number for row in _TENS for number, word in enumerate(row.split(), 2)
}
_VALUES: Final = {**_UNITS, **_UNITS_BY_ORDER, **_TENS_BY_WORD, "quatre-vingt": 80}
_SIZES: Final = {"hundred": 100, "thousand": 1000, "million": 1_000_000}


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_UNDER_HUNDRED: Final = (
    rf"(?P<und>(?:ein|{_any(_GERMAN.split()[:8])})und(?:{_any(_TENS[1].split())}))"
    rf"|(?P<ten>{_any(_TENS_BY_WORD)})(?:-|[ ]|[ ]y[ ])(?P<unit>{_any(('one', *_UNITS))})"
    rf"|(?P<word>{_any(_VALUES)})"
)
_FIGURE: Final = re.compile(
    r"\[\d{1,3}\]"  # a number of a source that a model writes
    r"|(?P<digits>\d+(?:[.,'’\u00a0\u202f]\d{3})*(?:[.,]\d+)?)"
    rf"|\b(?:{_UNDER_HUNDRED})(?:[ -](?P<size>{_any(_SIZES)}))?\b"
    r"|(?P<han>[〇零一二三四五六七八九十百千万两]{2,})",
    re.IGNORECASE,
)
_GROUPED: Final = re.compile(r"[.,'’\u00a0\u202f](?=\d{3}(?!\d))")
_HAN: Final = {sign: number for number, sign in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
}
_HAN_SIZES: Final = {"十": 10, "百": 100, "千": 1000, "万": 10_000}


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` is one for `1,480`, `1 480` and `1480`, and for `ninety` and `90`."""

    value: str
    start: int
    end: int


def figures(text: str) -> tuple[Figure, ...]:
    """In the order of the text; offsets are code points."""
    return tuple(
        Figure(value, found.start(), found.end())
        for found in _FIGURE.finditer(text)
        if (value := _value(found))
    )


def _value(found: re.Match[str]) -> str:
    if found["digits"]:
        return _of_digits(found["digits"])
    if found["han"]:
        return _of_han(found["han"])
    if not (found["und"] or found["ten"] or found["word"]):
        return ""
    number = _of_words(found) * _SIZES.get((found["size"] or "").lower(), 1)
    return str(number)


def _of_digits(digits: str) -> str:
    plain = unicodedata.normalize("NFKC", _GROUPED.sub("", digits))
    whole, _, part = plain.replace(",", ".").partition(".")
    part = part.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{part}" if part else "")


def _of_words(found: re.Match[str]) -> int:
    if und := (found["und"] or "").lower():
        unit, _, ten = und.partition("und")
        return _TENS_BY_WORD[ten] + (1 if unit == "ein" else _UNITS[unit])
    if ten := (found["ten"] or "").lower():
        unit = found["unit"].lower()
        return _TENS_BY_WORD[ten] + (1 if unit == "one" else _UNITS[unit])
    return _VALUES[found["word"].lower()]


def _of_han(signs: str) -> str:
    if not any(sign in _HAN_SIZES for sign in signs):
        return "".join(str(_HAN[sign]) for sign in signs).lstrip("0") or "0"
    total = section = digit = 0
    for sign in signs:
        size = _HAN_SIZES.get(sign)
        if size is None:
            digit = _HAN[sign]
        elif size == _HAN_SIZES["万"]:
            total, section, digit = (total + section + digit or 1) * size, 0, 0
        else:
            section, digit = section + (digit or 1) * size, 0
    return str(total + section + digit)
