"""Numbers as lists write them: 3, c, iii, 三."""

from __future__ import annotations

from typing import Final

_ROMAN: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc")),
    *((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_CHINESE: Final = "〇一二三四五六七八九"
_MOST_ROMAN: Final = 3999
_MOST_LETTERS: Final = 26 * 20


def spelled(number: int, kind: str) -> str:
    """`kind` is called as Word calls it; one that is not known here is written in digits."""
    match kind:
        case "none":
            return ""
        case "decimalZero":
            return f"{number:02}"
        case "lowerLetter" | "upperLetter":
            return _cased(_letters(number), kind)
        case "lowerRoman" | "upperRoman":
            return _cased(_roman(number), kind)
        case "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" if 1 <= number <= 20:
            return chr(0x2460 + number - 1)
        case (
            "chineseCounting"
            | "chineseCountingThousand"
            | "japaneseCounting"
            | ("ideographDigital" | "taiwaneseCountingThousand")
        ):
            return _chinese(number)
    return str(number)


def _cased(text: str, kind: str) -> str:
    return text.upper() if kind.startswith("upper") else text


def _letters(number: int) -> str:
    """a to z, then aa, bb and so on."""
    if not 1 <= number <= _MOST_LETTERS:
        return str(number)
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def _roman(number: int) -> str:
    if not 1 <= number <= _MOST_ROMAN:
        return str(number)
    said = ""
    for value, sign in _ROMAN:
        said += sign * (number // value)
        number %= value
    return said


def _chinese(number: int) -> str:
    if not 0 <= number < 100:
        return str(number)
    tens, ones = divmod(number, 10)
    if not tens:
        return _CHINESE[ones]
    return ("" if tens == 1 else _CHINESE[tens]) + "十" + (_CHINESE[ones] if ones else "")
