"""Bytes to text: which encoding, by evidence that cannot lie before evidence that may."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from webapp.documents.parsing import refusals

_MARKS: Final = (  # UTF-32 before UTF-16: its mark begins with the other's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDER: Final = {  # each reads all that the narrower one does
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "hz-gb-2312": "gb18030",
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "euc-kr": "cp949",
    "big5": "cp950",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
}
# Four bytes for one rare Chinese character; digits between high bytes are seldom anything else.
_FOUR_BYTES: Final = re.compile(rb"[\x81-\xfe][0-9][\x81-\xfe][0-9]")
_HIGH: Final = re.compile(rb"[\x80-\xff]")
_LOOKED_AT: Final = 1 << 18
_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROLS: Final = 0.02
_MOST_CONTROLS_OF_UTF_8: Final = 0.25
_FEW_CONTROLS: Final = 2
_MOST_REPLACED: Final = 0.001
# Short texts of Europe are guessed badly. These are the letters that texts in each of the two
# common encodings have besides ASCII; no mark stands inside a word, as it would by mistake.
_MARKS_IN_TEXT: Final = "¡¿«»„“”‚‘’–—…€£§°ºª·²³½©®\xa0"
_EUROPEAN: Final = {
    "cp1252": "ÄÖÜäöüßàâçéèêëîïôùûñáíóúãõåæøÀÂÇÉÈÊÎÔÑÁÍÓÚÅÆØœ",
    "cp1250": "ĄĆĘŁŃÓŚŹŻąćęłńóśźżÁČĎÉĚÍŇŘŠŤÚŮÝŽáčďéěíňřšťúůýžŐŰőűÄÖÜäöüßăâîșțşţđľĺŕôĽ",
}
# Of DOS and of old Macs, where a guess made words of two scripts: Grאсe for Größe.
_OLDER: Final = dict.fromkeys(("cp850", "mac_roman"), _EUROPEAN["cp1252"])
_TWO_SCRIPTS: Final = re.compile("[A-Za-z][\u0370-\u06ff]+[A-Za-z]")
_WESTERN: Final = frozenset("".join(_EUROPEAN.values()))
_INSIDE: Final = re.compile(r"[^\W\d_][¡¿«»„“”‚–—…€£§°ºª²³½©®][^\W\d_]")
_RUN: Final = re.compile("[^\x00-\x7f]{5}")  # so many in a row are another script
_HIGH_CONTROLS: Final = re.compile("[\x80-\x9f]")
_FEW_LETTERS: Final = 3
_EAST_ASIAN: Final = re.compile(
    "[\n\r\t -~\u2010-\u2026\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]"
)
_ALMOST_ALL: Final = 0.97
_SURE: Final = 0.2
_GOOD_GUESSES: Final = ("windows-1250", "iso-8859-2", "windows-1254", "windows-1257")


@dataclass(frozen=True)
class Decoded:
    text: str
    encoding: str


def decode(data: bytes, declared: str = "") -> Decoded:
    """Unreadable (`unsupported`) when the bytes are no text. `declared` is what the file says
    about itself; it counts only where the bytes leave a choice."""
    found = _marked(data) or _wide(data)
    if found is None:
        data = data.replace(b"\0", b"")
        found = _utf_8(data) or _named(data, declared) or _guessed(data)
    if found is None or _is_binary(found):
        raise refusals.unsupported()
    return found


def _marked(data: bytes) -> Decoded | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _mended(data[len(mark) :], encoding, most=0.05)
    return None


def _wide(data: bytes) -> Decoded | None:
    """UTF-16 and UTF-32 without a mark, by where the zero bytes are."""
    sample = data[: _LOOKED_AT // 4 * 4]
    zeros = [sample[at::4].count(0) / max(1, len(sample) // 4) for at in range(4)]
    if min(zeros[2:]) > 0.9 and zeros[0] < 0.1:
        return _mended(data, "utf-32-le")
    if min(zeros[:2]) > 0.9 and zeros[3] < 0.1:
        return _mended(data, "utf-32-be")
    even, odd = (zeros[0] + zeros[2]) / 2, (zeros[1] + zeros[3]) / 2
    if odd > 0.3 and even < 0.1:
        return _mended(data, "utf-16-le")
    if even > 0.3 and odd < 0.1:
        return _mended(data, "utf-16-be")
    return _strict_wide(data) if even or odd else None


def _strict_wide(data: bytes) -> Decoded | None:
    """Few zeros: text of a script without Latin letters. Only if it reads without a fault."""
    import chardet  # noqa: PLC0415 - a tenth of a second; most texts need it not

    guess = str(chardet.detect(data[:_LOOKED_AT])["encoding"] or "").lower()
    if guess in ("utf-16-le", "utf-16-be", "utf-16le", "utf-16be"):
        return _mended(data, guess)
    both = [_mended(data, encoding, most=0.0) for encoding in ("utf-16-le", "utf-16-be")]
    found = [one for one in both if one and _is_east_asian(one.text)]
    return found[0] if len(found) == 1 else None


def _is_east_asian(text: str) -> bool:
    """With its bytes the wrong way round it would be scattered over all of Unicode."""
    return "\0" not in text and len(_EAST_ASIAN.findall(text)) >= _ALMOST_ALL * len(text)


def _utf_8(data: bytes) -> Decoded | None:
    if b"\x1b$" in data:
        for encoding in ("iso2022_jp_ext", "iso2022_kr"):
            if found := _strict(data, encoding):
                return found
    if b"~{" in data and b"~}" in data and data.isascii():
        found = _strict(data, "hz")
        if found and not found.text.isascii():
            return found
    if found := _strict(data, "utf-8") or _cut_utf_8(data) or _loose_utf_8(data):
        return found
    return _by_lines(data) or _mostly_utf_8(data)


def _mostly_utf_8(data: bytes) -> Decoded | None:
    mended = _mended(data, "utf-8")
    foreign = sum(not char.isascii() for char in mended.text) if mended else 0
    return mended if mended and foreign > 20 * mended.text.count("\ufffd") else None


def _named(data: bytes, declared: str) -> Decoded | None:
    name = declared.strip().strip("\"'").lower()
    return _strict(data, _WIDER.get(name, name)) if name else None


def _guessed(data: bytes) -> Decoded | None:
    import chardet  # noqa: PLC0415 - as above

    if rare := _rare_chinese(data[:_LOOKED_AT]) and _strict(data, "gb18030"):
        return rare
    guess = chardet.detect(_telling(data)[:_LOOKED_AT])
    name = str(guess["encoding"] or "").lower()
    unsure = guess["confidence"] < _SURE and name not in _GOOD_GUESSES
    if unsure and (european := _european(data)):
        return european
    if not name:
        return None
    name = _WIDER.get(name, name)
    if name == "windows-1250" and _is_other_central_european(data):
        name = "iso-8859-2"
    found = _strict(data, name) or _mended(data, name)
    mixed = found is not None and _TWO_SCRIPTS.search(found.text)
    return (_european(data, _OLDER) if mixed else None) or found


def _rare_chinese(data: bytes) -> bool:
    found = len(_FOUR_BYTES.findall(data))
    return found > 1 and 4 * found > len(_HIGH.findall(data))


def _telling(data: bytes) -> bytes:
    """The lines that are not ASCII: all others look the same in most encodings."""
    return b"\n".join(line for line in data.split(b"\n") if not line.isascii())


def _is_other_central_european(data: bytes) -> bool:
    """The two encodings differ in few letters; where one makes a mark inside a word of them, the
    other, if it makes no control characters, is right."""
    one, other = _strict(data, "cp1250"), _strict(data, "iso-8859-2")
    if one is None or other is None or _HIGH_CONTROLS.search(other.text):
        return False
    return len(_INSIDE.findall(one.text)) > len(_INSIDE.findall(other.text))


def _by_lines(data: bytes) -> Decoded | None:
    """Lines in UTF-8 among lines in an older encoding, as in a log that several programs wrote.

    That a line of the other is by chance good UTF-8 is rare; a fifth of the lines is no chance."""
    lines = data.split(b"\n")
    foreign = [number for number, line in enumerate(lines) if not line.isascii()]
    good = {number: found for number in foreign if (found := _strict(lines[number], "utf-8"))}
    letters = [char for found in good.values() for char in found.text if not char.isascii()]
    by_chance = len(letters) < _FEW_LETTERS and not _WESTERN.issuperset(letters)
    if len(good) == len(foreign) or 5 * len(good) < len(foreign) or by_chance:
        return None
    rest = _guessed(b"\n".join(lines[number] for number in foreign if number not in good))
    if rest is None:
        return None
    others = iter(rest.text.split("\n"))
    text = [
        good[number].text
        if number in good
        else line.decode("ascii")
        if line.isascii()
        else next(others, "")
        for number, line in enumerate(lines)
    ]
    return Decoded("\n".join(text), f"utf-8, {rest.encoding}")


def _european(data: bytes, known: Mapping[str, str] = _EUROPEAN) -> Decoded | None:
    """ASCII words with some accented letters in them, if that is what the bytes make."""
    for encoding, letters in known.items():
        found = _strict(data, encoding)
        if found and _is_european(found.text, frozenset(letters + _MARKS_IN_TEXT)):
            return found
    return None


def _is_european(text: str, known: frozenset[str]) -> bool:
    foreign = [char for char in text if not char.isascii()]
    accented = sum(map(str.isalpha, foreign))
    letters = sum(map(str.isalpha, text)) - accented
    likely = 2 * letters > accented and not _INSIDE.search(text) and not _RUN.search(text)
    return known.issuperset(foreign) and likely


def _strict(data: bytes, encoding: str) -> Decoded | None:
    try:
        return Decoded(data.decode(encoding), encoding)
    except (UnicodeError, LookupError, ValueError):
        return None


def _mended(data: bytes, encoding: str, most: float = _MOST_REPLACED) -> Decoded | None:
    """With a mark in place of what cannot be read, if that is rare enough."""
    unit = {"utf-16": 2, "utf-32": 4}.get(encoding[:6], 1)
    try:
        text = data[: len(data) // unit * unit].decode(encoding, "replace")
    except (LookupError, ValueError):
        return None
    return Decoded(text, encoding) if text.count("\ufffd") <= most * len(text) else None


def _cut_utf_8(data: bytes) -> Decoded | None:
    """Without the torn character at the end of a file that was cut off; not when it is the only
    one that is not ASCII."""
    end = len(data)
    while end > max(0, len(data) - 3) and data[end - 1] & 0xC0 == 0x80:
        end -= 1
    if not end or data[end - 1] < 0xC0 or data[: end - 1].isascii():
        return None
    return _strict(data[: end - 1], "utf-8")


def _loose_utf_8(data: bytes) -> Decoded | None:
    """As some databases and Java write it: halves of a character apart, zero in two bytes."""
    try:
        text = data.replace(b"\xc0\x80", b"").decode("utf-8", "surrogatepass")
    except UnicodeError:
        return None
    return Decoded(text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore"), "utf-8")


def _is_binary(found: Decoded) -> bool:
    """Good UTF-8 may have more controls: no program or picture is that by chance."""
    sample = found.text[:_LOOKED_AT]
    most = _MOST_CONTROLS_OF_UTF_8 if found.encoding == "utf-8" else _MOST_CONTROLS
    return len(_CONTROLS.findall(sample)) > _FEW_CONTROLS + most * len(sample)
