"""Passages to columns and back."""

import numpy as np
import pytest

from tests.documents.searching import unit
from webapp.documents.chunking import Chunk
from webapp.documents.document import Place
from webapp.documents.lance import LanceTables
from webapp.documents.passages import StoredPassage
from webapp.documents.rows import columns_of

CHUNKS = [
    Chunk(0, 5, 9, "half\ud800", (Place(0, 9, "page", "iv", 4),), "Title, “quoted”"),
    Chunk(1, 10, 13, "合同 \U0001f468\u200d\U0001f469\0'", ()),
]


@pytest.fixture
def rows(tmp_path):
    lance = LanceTables(tmp_path)
    lance.add("t", "space", "file", CHUNKS, unit(2))
    lance.add("t", "space", "other", CHUNKS[:1], unit(1, seed=1))
    return lance.read("t")


def test_passages_come_back_as_they_were_but_for_half_characters(rows):
    assert [rows.passage(number) for number in range(2)] == [
        StoredPassage("file-0", "file", 0, "half\ufffd", 5, 9, CHUNKS[0].places),
        StoredPassage("file-1", "file", 1, CHUNKS[1].text, 10, 13),
    ]


def test_texts_are_what_was_embedded(rows):
    assert rows.texts[:2] == ["Title, “quoted”\nhalf\ufffd", CHUNKS[1].text]


def test_vectors_come_back_bit_for_bit(rows):
    assert np.array_equal(rows.vectors, np.concatenate([unit(2), unit(1, seed=1)]))
    assert rows.size_bytes > rows.vectors.nbytes


def test_rows_are_told_apart_by_file_and_taken_by_number(rows):
    assert rows.of_files({"other", "unknown"}).tolist() == [False, False, True]
    assert rows.of_files([]).tolist() == [False] * 3


def test_the_best_rows_are_given_as_values_with_ties_in_the_order_of_files(rows):
    numbers = np.arange(3)
    hits = rows.best(numbers, np.array([0.25, 0.5, 0.25]), 3)
    assert [(hit.passage.id, hit.cosine) for hit in hits] == [
        ("file-1", 0.5),
        ("file-0", 0.25),
        ("other-0", 0.25),
    ]
    assert [hit.passage.id for hit in rows.best(numbers[2:], np.array([0.1]), 9)] == ["other-0"]
    assert rows.best(numbers[:0], np.zeros(0), 9) == []


def test_columns_have_a_row_for_each_chunk():
    columns = columns_of("f", CHUNKS)
    assert {len(values) for values in columns.values()} == {2}
    assert columns["lead"] == [len("Title, “quoted”\n"), 0]


def test_a_table_from_which_all_was_deleted_has_no_rows(tmp_path):
    lance = LanceTables(tmp_path)
    lance.add("t", "space", "file", CHUNKS, unit(2))
    lance.remove("t", ["file"])
    rows = lance.read("t")
    assert len(rows) == 0
    assert rows.vectors.shape == (0, 64)
    assert rows.of_files(["file"]).tolist() == []
    assert rows.best(np.arange(0), np.zeros(0), 3) == []


def test_vectors_are_not_copied_out_of_the_table(rows):
    (piece,) = rows.table.column("vector").chunks
    assert rows.vectors.ctypes.data == piece.flatten().buffers()[1].address
