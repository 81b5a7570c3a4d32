"""What diagrams and charts of Office files say: each lies in a part of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import Final

from lxml import etree

from webapp.documents.parsing.archive import Archive, local
from webapp.documents.parsing.writer import Writer, cells_line

_MOST_ROWS: Final = 2_000


def write_graphics(writer: Writer, archive: Archive, part: str) -> None:
    """Those that `part` shows; one that is damaged spoils nothing else."""
    for kind, name in archive.related(part).values():
        if kind not in ("diagramData", "chart") or name not in archive.names:
            continue
        try:
            root = archive.xml(name)
        except etree.XMLSyntaxError:
            continue
        for line in _diagram(root) if kind == "diagramData" else _chart(root):
            writer.line(line)


def _diagram(root: etree._Element) -> Iterator[str]:
    for box in root.iter("{*}pt"):
        paragraphs = ("".join(t.text or "" for t in p.iter("{*}t")) for p in box.iter("{*}p"))
        yield " ".join(filter(None, paragraphs))


def _chart(root: etree._Element) -> Iterator[str]:
    """Its titles, then a table: a column for each series, a row for each category."""
    for title in root.iter("{*}title"):
        yield "".join(one.text or "" for one in title.iter("{*}t", "{*}v"))
    series = list(root.iter("{*}ser"))
    names = [" ".join(_texts(one, "tx")) for one in series]
    columns = [_texts(one, "val") or _texts(one, "yVal") for one in series]
    first = [_texts(one, "cat") or _texts(one, "xVal") for one in series]
    longest = max((len(one), -at) for at, one in enumerate([*first, []]))
    rows = zip_longest([*first, []][-longest[1]], *columns, fillvalue="")
    if any(names):
        yield cells_line(["", *names])
    for row in islice(rows, _MOST_ROWS):
        yield cells_line(list(row))


def _texts(series: etree._Element, name: str) -> list[str]:
    part = next((child for child in series if local(child) == name), None)
    return [] if part is None else [one.text or "" for one in part.iter("{*}v")]
