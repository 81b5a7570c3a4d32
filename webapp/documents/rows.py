"""Rows of a table of passages, as they come back from it: by column, made values when asked for."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from webapp.documents.chunking import Chunk
from webapp.documents.document import Place
from webapp.documents.passages import Hit, StoredPassage, passage_id
from webapp.documents.vectors import Vectors

COLUMNS: Final = ("id", "file_id", "ordinal", "text", "lead", "start", "end", "places", "vector")


class Rows:
    """`table` is an Arrow table that has `COLUMNS`. Treat it as frozen."""

    def __init__(self, table: Any) -> None:
        self.table = table.combine_chunks()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def size_bytes(self) -> int:
        return int(self.table.nbytes)

    @cached_property
    def vectors(self) -> Vectors:
        """Shape (rows, dimension)."""
        dimension = int(self.table.schema.field("vector").type.list_size)
        if not len(self):
            return np.empty((0, dimension), np.float32)
        flat: Vectors = self._whole("vector").flatten().to_numpy(zero_copy_only=True)
        return flat.reshape(len(self), dimension)

    @property
    def texts(self) -> list[str]:
        """What was embedded: with its context, not only what stands in the document."""
        found: list[str] = self.table.column("text").to_pylist()
        return found

    @property
    def file_ids(self) -> list[str]:
        """Of each row."""
        found: list[str] = self.table.column("file_id").to_pylist()
        return found

    def of_files(self, files: Collection[str]) -> NDArray[np.bool_]:
        """Which rows belong to one of `files`."""
        names, numbers = self._files
        wanted = np.fromiter((name in files for name in names), np.bool_, len(names))
        return wanted[numbers]

    def passage(self, number: int) -> StoredPassage:
        row = {name: column[number].as_py() for name, column in self._told.items()}
        return StoredPassage(
            row["id"],
            row["file_id"],
            row["ordinal"],
            row["text"][row["lead"] :],
            row["start"],
            row["end"],
            tuple(Place(*place) for place in json.loads(row["places"])),
        )

    def best(
        self, numbers: NDArray[np.intp], cosines: NDArray[np.float64], count: int
    ) -> list[Hit]:
        """Those `count` of the rows `numbers` with the highest cosines, ties in the files' order.

        Values are made of these only: that takes longer than finding them."""
        names, of_rows = self._files
        rank = np.argsort(np.argsort(names))[of_rows[numbers]] if names else of_rows[numbers]
        order = np.lexsort((self._orders[numbers], rank, -cosines))[:count]
        return [Hit(self.passage(int(numbers[at])), float(cosines[at])) for at in order]

    def ranked(self, cosines: NDArray[np.float64]) -> list[Hit]:
        """All rows of a search for words in their order, with these cosines."""
        ranks: list[float] = self.table.column("_score").to_pylist()
        return [
            Hit(self.passage(number), float(cosine), rank)
            for number, (cosine, rank) in enumerate(zip(cosines, ranks, strict=True))
        ]

    def _whole(self, name: str) -> Any:
        """A column in one piece, without copying it."""
        return self.table.column(name).chunk(0)

    @cached_property
    def _told(self) -> dict[str, Any]:
        return {name: self.table.column(name) for name in COLUMNS if name != "vector"}

    @cached_property
    def _orders(self) -> NDArray[np.int32]:
        found: NDArray[np.int32] = self.table.column("ordinal").to_numpy()
        return found

    @cached_property
    def _files(self) -> tuple[list[str], NDArray[np.int32]]:
        if not len(self):
            return [], np.empty(0, np.int32)
        column = self._whole("file_id").dictionary_encode()
        return column.dictionary.to_pylist(), column.indices.to_numpy(zero_copy_only=False)


def columns_of(file_id: str, chunks: Sequence[Chunk]) -> dict[str, list[Any]]:
    """What is kept of chunks, without their vectors."""
    return {
        "id": [passage_id(file_id, chunk.order) for chunk in chunks],
        "file_id": [file_id] * len(chunks),
        "ordinal": [chunk.order for chunk in chunks],
        "text": [_storable(chunk.searched) for chunk in chunks],
        "lead": [len(chunk.searched) - len(chunk.text) for chunk in chunks],
        "start": [chunk.start for chunk in chunks],
        "end": [chunk.end for chunk in chunks],
        "places": [_json(chunk.places) for chunk in chunks],
    }


def _storable(text: str) -> str:
    """Half characters cannot be stored; one for one, so that offsets stay."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _json(places: Sequence[Place]) -> str:
    return json.dumps([[p.start, p.end, p.kind, p.label, p.number] for p in places])
