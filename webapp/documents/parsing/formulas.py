"""Formulas on one line: what stands above, below and in brackets is told apart."""

from __future__ import annotations

from typing import Final

from lxml import etree

from webapp.documents.parsing.archive import attribute, local

_PROPERTIES: Final = ("rPr", "ctrlPr")
_DEEPEST: Final = 100


def formula(element: etree._Element, depth: int = 0) -> str:
    """Of Office files: `1/2`, `x^2`, `a_1`, `√(x+1)`. Without signs two numbers would be one."""
    tag = local(element)
    if tag == "t":
        return element.text or ""
    if not tag or tag in _PROPERTIES or depth > _DEEPEST:
        return ""
    if tag == "d":
        return _bracketed(element, depth)
    part = {local(child): formula(child, depth + 1) for child in element}
    match tag:
        case "f":
            return f"{_group(part.get('num', ''))}/{_group(part.get('den', ''))}"
        case "sSup" | "sSub" | "sSubSup":
            return part.get("e", "") + _scripts(part)
        case "rad":
            root = part.get("deg", "")
            return f"{_group(root) if root else ''}√{_group(part.get('e', ''))}"
        case "nary":
            return f"{_sign(element)}{_scripts(part)} {part.get('e', '')}"
    return "".join(formula(child, depth + 1) for child in element)


def is_power(before: str, raised: str) -> bool:
    """Whether a raised number would become one with the number it stands at: 10⁶ is not 106."""
    return before[-1:].isdigit() and raised.lstrip("-+−").isdigit()


def _scripts(part: dict[str, str]) -> str:
    signs = (("_", part.get("sub", "")), ("^", part.get("sup", "")))
    return "".join(sign + _group(words) for sign, words in signs if words)


def _group(words: str) -> str:
    return words if words.isalnum() or len(words) == 1 else f"({words})"


def _bracketed(element: etree._Element, depth: int) -> str:
    begin, end = _property(element, "begChr", "("), _property(element, "endChr", ")")
    inner = [formula(child, depth + 1) for child in element if local(child) == "e"]
    return begin + _property(element, "sepChr", "|").join(inner) + end


def _sign(element: etree._Element) -> str:
    return _property(element, "chr", "∫")


def _property(element: etree._Element, name: str, default: str) -> str:
    properties = (child for child in element if local(child).endswith("Pr"))
    found = (one for child in properties for one in child if local(one) == name)
    return next((attribute(one, "val") for one in found), default)
