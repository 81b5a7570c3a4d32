"""Words for a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """File names may hold bytes that are no text, and titles signs that steer a terminal; it
    would refuse the first and obey the second."""
    shown = text.encode("utf-8", "replace").decode()
    return "".join(sign if sign.isprintable() else "?" for sign in shown)
