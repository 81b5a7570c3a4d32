"""Signs that Office files take from fonts of pictures: the letters that a reader sees there."""

from __future__ import annotations

from typing import Final

_GREEK: Final = (
    (0x41, "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"),
    (0x61, "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"),
)
_OF_SYMBOL: Final = {
    **{first + at: char for first, chars in _GREEK for at, char in enumerate(chars)},
    **dict(zip(b"\"$'@^~", "∀∃∋≅⊥∼", strict=True)),
    **dict(zip(range(0xA0, 0xC0), "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵", strict=True)),
    **dict(zip(range(0xC4, 0xE0), "⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓", strict=True)),
    **{0xE5: "∑", 0xF2: "∫"},
}
_OF_FONT: Final = {
    "symbol": _OF_SYMBOL,
    "wingdings": {
        **dict(zip(b"(*JoqrxN", "☎✉☺☐☐☐☒☠", strict=True)),
        **{0xA8: "☐", 0xDF: "←", 0xE0: "→", 0xE8: "➔", 0xF0: "⇨", 0xA7: "▪", 0xD8: "➢"},
        **{0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑"},
    },
    "wingdings 2": {0x4F: "✗", 0x50: "✓", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0xA3: "☐"},
}
_PICTURES: Final = range(0xF000, 0xF100)  # where Word puts the letters of such fonts


def symbol(font: str, code: str) -> str:
    """By the name of the font and the number of the sign, in hexadecimal; empty for one that is
    only a picture."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    low = number - 0xF000 if number in _PICTURES else number
    known = _OF_FONT.get(font.strip().lower(), {}).get(low)
    if known or number in _PICTURES:
        return known or ""
    return chr(number) if 0x20 <= number < 0xD800 or 0xF900 <= number < 0xFFFE else ""
