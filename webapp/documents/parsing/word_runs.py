"""The words of one paragraph of a Word document, as its reader sees them."""

from __future__ import annotations

from typing import Final

from lxml import etree

from webapp.documents.parsing.archive import attribute, local
from webapp.documents.parsing.formulas import formula, is_power
from webapp.documents.parsing.office_symbols import symbol

# A Fallback says again what stands beside it; deleted and moved words stand elsewhere or nowhere;
# how characters are read aloud (`rt`) would tear the word they stand over.
_SKIPPED_TAGS: Final = (
    "Fallback del moveFrom instrText delText pPr rPr tblPr tblGrid tcPr trPr sectPr sdtPr rt rubyPr"
)
SKIPPED: Final = frozenset(_SKIPPED_TAGS.split())
_AS_TEXT: Final = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_NO: Final = ("0", "false", "off")
_RESULT: Final = -1


def words_of(paragraph: etree._Element, boxes: list[etree._Element]) -> str:
    """Text boxes that hang on the paragraph are put into `boxes`."""
    words = _Words(boxes)
    words.read(paragraph)
    return "".join(words.said)


def is_on(properties: etree._Element | None, name: str) -> bool:
    """Whether a property that is either there or not is there."""
    found = (one for one in (() if properties is None else properties) if local(one) == name)
    return any(attribute(one, "val") not in _NO for one in found)


class _Words:
    def __init__(self, boxes: list[etree._Element]) -> None:
        self.said: list[str] = []
        self._boxes = boxes
        self._fields: list[int] = []  # where the code of each began, _RESULT behind its code

    def read(self, parent: etree._Element) -> None:
        for child in parent:
            tag = local(child)
            if tag == "t":
                self.said.append(child.text or "")
            elif tag in _AS_TEXT:
                self.said.append(_AS_TEXT[tag])
            elif tag == "r":
                self._run(child)
            elif tag == "sym":
                self.said.append(symbol(attribute(child, "font"), attribute(child, "char")))
            elif tag == "fldChar":
                self._field(child)
            elif tag == "oMath":
                self.said.append(formula(child))
            elif tag == "txbxContent":
                self._boxes.append(child)
            elif tag and tag not in SKIPPED:
                self.read(child)

    def _run(self, run: etree._Element) -> None:
        look = next((child for child in run if local(child) == "rPr"), None)
        if is_on(look, "vanish"):
            return
        before = len(self.said)
        self.read(run)
        raised = look is not None and any(
            local(one) == "vertAlign" and attribute(one, "val") == "superscript" for one in look
        )
        if raised and is_power("".join(self.said[:before][-3:]), "".join(self.said[before:])):
            self.said.insert(before, "^")

    def _field(self, sign: etree._Element) -> None:
        """Only the result of a field is shown. Fields stand in the codes of others, too; a code
        that does not end in its paragraph is left alone."""
        kind = attribute(sign, "fldCharType")
        if kind == "begin":
            self.said.append(_of_form(sign))
            self._fields.append(len(self.said))
        elif self._fields:
            start = self._fields.pop()
            if start != _RESULT:
                del self.said[start:]
            if kind == "separate":
                self._fields.append(_RESULT)


def _of_form(sign: etree._Element) -> str:
    """What a box to tick or a list to choose from shows in an old form."""
    for one in sign.iter("{*}checkBox"):
        ticked = next(
            (is_on(one, name) for name in ("checked", "default") if _has(one, name)), False
        )
        return "☒" if ticked else "☐"
    for one in sign.iter("{*}ddList"):
        entries = [attribute(child, "val") for child in one if local(child) == "listEntry"]
        chosen = next((attribute(child, "val") for child in one if local(child) == "result"), "0")
        return entries[int(chosen)] if chosen.isdecimal() and int(chosen) < len(entries) else ""
    return ""


def _has(element: etree._Element, name: str) -> bool:
    return any(local(child) == name for child in element)
