"""A text as a picture that a phone's camera reads."""

from __future__ import annotations

import io

import segno
from markupsafe import Markup


def join_url(address: str, code: str) -> str:
    """The code stands behind the #, which browsers send to nobody and no log has."""
    return f"{address}/join#code={code}"


def as_svg(text: str, meaning: str) -> Markup:
    """Dark on light in both themes: many cameras read it only so. `meaning` is for who cannot see
    it."""
    made = segno.make(text, error="m", micro=False)
    svg = made.svg_inline(omitsize=True, dark="#000", light="#fff", title=meaning)
    return Markup(svg)  # noqa: S704 - made of modules; the title is escaped by segno


def in_terminal(text: str) -> str:
    """Of half blocks, for light letters on a dark ground as for the other way around: cameras
    read both."""
    drawn = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(drawn, border=2, compact=True)
    return drawn.getvalue()
