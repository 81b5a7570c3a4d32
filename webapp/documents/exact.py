"""Search through all passages of a table, over copies of tables kept in memory.

The library's own scan reads a table again for each question, at a thirtieth of the speed of
memory. A copy is used as long as the table is as it was, and forgotten when room is needed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from webapp.documents.lance import LanceTables
from webapp.documents.lance_folder import Mark
from webapp.documents.rows import Rows
from webapp.documents.vectors import Vectors


class ExactSearch:
    """`most_bytes` is the room for all copies together; a table that is larger is not copied."""

    def __init__(self, lance: LanceTables, most_bytes: int) -> None:
        self._lance = lance
        self._most = most_bytes
        self._lock = threading.Lock()
        self._copies: OrderedDict[str, tuple[Mark, Rows]] = OrderedDict()

    def fits(self, rows: int, dimension: int) -> bool:
        """Whether a table of that shape would be copied; a text is taken for 1 KiB."""
        return rows * (4 * dimension + 1024) <= self._most

    def copy(self, name: str) -> Rows | None:
        """The table as it is now; None when it is not there."""
        mark = self._lance.mark(name)
        with self._lock:
            kept = self._copies.get(name)
            if kept and kept[0] == mark:
                self._copies.move_to_end(name)
                return kept[1]
            self._copies.pop(name, None)
        rows = self._lance.read(name) if mark else None
        if mark and rows is not None:
            with self._lock:
                self._copies[name] = mark, rows
                self._make_room()
        return rows

    def forget(self, name: str) -> None:
        with self._lock:
            self._copies.pop(name, None)

    def _make_room(self) -> None:
        while sum(rows.size_bytes for _, rows in self._copies.values()) > self._most:
            self._copies.popitem(last=False)


def closest(rows: Rows, vector: Vectors, count: int, files: Collection[str]) -> NDArray[np.intp]:
    """Numbers of the rows of `files` that are closest, in no order."""
    found = rows.vectors @ vector
    mine = rows.of_files(files)
    if not mine.all():
        found[~mine] = -np.inf
        count = min(count, int(mine.sum()))
    if count >= len(found):
        return np.arange(len(found))
    return np.argpartition(found, -count)[len(found) - count :]
