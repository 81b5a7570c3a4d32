"""Curves of what grows with size, as SVG with logarithmic axes: a straight line at 45° is linear.

Benches `note` points while they measure; `written` draws a file for each figure."""

import math
import re
from collections import defaultdict
from pathlib import Path
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 150, 44, 52
_COLOURS = ("#0b6bcb", "#c4500b", "#2e7d32", "#8e24aa", "#b8860b", "#00838f")
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#222}.grid{stroke:#0002}"
    ".frame{stroke:#0006;fill:none}"
    "@media(prefers-color-scheme:dark){svg{background:#16181d}text{fill:#ddd}.grid{stroke:#fff2}"
    ".frame{stroke:#fff6}}"
)

_points: dict[tuple[str, str, str], dict[str, list[tuple[float, float]]]] = defaultdict(
    lambda: defaultdict(list)
)


def note(figure: str, across: str, up: str, line: str, x: float, y: float) -> None:
    """One point of the curve `line`; `across` and `up` name the axes with their units."""
    _points[figure, across, up][line].append((x, y))


def written(folder: Path) -> list[Path]:
    """One file for each figure that has a curve of two points or more; what was noted is gone."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for (figure, across, up), lines in _points.items():
        if any(len(points) > 1 for points in lines.values()):
            made.append(folder / f"{re.sub(r'[^a-z0-9]+', '-', figure.lower()).strip('-')}.svg")
            made[-1].write_text(drawn(figure, across, up, lines), "utf-8")
    _points.clear()
    return made


def drawn(figure: str, across: str, up: str, lines: dict[str, list[tuple[float, float]]]) -> str:
    every = [point for points in lines.values() for point in points]
    wide = _Axis([x for x, _ in every], _LEFT, _WIDTH - _RIGHT)
    high = _Axis([y for _, y in every], _HEIGHT - _BOTTOM, _TOP)
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f"<title>{escape(figure)}</title><style>{_STYLE}</style>",
        _text(_LEFT, 24, figure, "font-weight:600"),
        _text(middle, _HEIGHT - 12, across, "text-anchor:middle"),
        _text(_LEFT - 62, _TOP - 4, up, ""),
    ]
    for value, at in wide.ticks():
        parts.append(f'<path class="grid" d="M{at:.1f} {_TOP}V{_HEIGHT - _BOTTOM}"/>')
        parts.append(_text(at, _HEIGHT - _BOTTOM + 18, _short(value), "text-anchor:middle"))
    for value, at in high.ticks():
        parts.append(f'<path class="grid" d="M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}"/>')
        parts.append(_text(_LEFT - 6, at + 4, _short(value), "text-anchor:end"))
    size = f'width="{_WIDTH - _LEFT - _RIGHT}" height="{_HEIGHT - _TOP - _BOTTOM}"'
    parts.append(f'<rect class="frame" x="{_LEFT}" y="{_TOP}" {size}/>')
    for number, (name, points) in enumerate(lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        places = [(wide.at(x), high.at(y)) for x, y in sorted(points)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        row = _TOP + 14 + 20 * number
        parts.append(f'<circle cx="{_WIDTH - _RIGHT + 14}" cy="{row - 4}" r="4" fill="{colour}"/>')
        parts.append(_text(_WIDTH - _RIGHT + 24, row, name, ""))
    return "\n".join([*parts, "</svg>\n"])


class _Axis:
    """From a value to its place, with whole powers of ten at the ends."""

    def __init__(self, values: list[float], start: float, end: float) -> None:
        self._low = math.floor(math.log10(min(values)))
        self._high = max(math.ceil(math.log10(max(values))), self._low + 1)
        self._start, self._end = start, end

    def at(self, value: float) -> float:
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return self._start + share * (self._end - self._start)

    def ticks(self) -> list[tuple[float, float]]:
        return [(10.0**n, self.at(10.0**n)) for n in range(self._low, self._high + 1)]


def _text(x: float, y: float, words: str, style: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" style="{style}">{escape(words)}</text>'


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
