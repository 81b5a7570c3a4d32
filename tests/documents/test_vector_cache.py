"""Vectors kept from before, and everything that may happen to their file."""

import sqlite3
import threading
from contextlib import closing

import numpy as np
import pytest

from tests.documents.searching import unit
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.vector_cache import VectorCache

MODEL = EmbeddingModel("words", 64)


@pytest.fixture
def cache(tmp_path):
    return VectorCache(tmp_path / "cache" / "vectors.sqlite3", most=100)


def file_of(tmp_path):
    return tmp_path / "cache" / "vectors.sqlite3"


def some(*texts):
    return dict(zip(texts, unit(len(texts)), strict=True))


def test_what_was_written_is_read_again_by_its_text(cache):
    kept = some("a", "b", "合同 \0 '")
    cache.write(MODEL, kept)
    found = cache.read(MODEL, [*kept, "c"])
    assert found.keys() == kept.keys()
    assert all(np.array_equal(found[text], kept[text]) for text in kept)


def test_other_models_prefixes_and_dimensions_have_vectors_of_their_own(cache):
    cache.write(MODEL, some("a"))
    for other in (
        EmbeddingModel("others", 64),
        EmbeddingModel("words", 64, passage_prefix="passage: "),
        EmbeddingModel("words", 32),
    ):
        assert cache.read(other, ["a"]) == {}


def test_the_oldest_go_first(cache):
    for number in range(0, 300, 50):
        cache.write(MODEL, some(*(f"text {number + each}" for each in range(50))))
    found = cache.read(MODEL, [f"text {number}" for number in range(300)])
    assert set(found) == {f"text {number}" for number in range(200, 300)}


def test_a_deleted_file_is_made_again(cache, tmp_path):
    cache.write(MODEL, some("a"))
    file_of(tmp_path).unlink()
    assert cache.read(MODEL, ["a"]) == {}
    cache.write(MODEL, some("a"))
    assert cache.read(MODEL, ["a"])


def test_a_file_that_is_no_database_is_made_again(cache, tmp_path):
    file_of(tmp_path).parent.mkdir()
    file_of(tmp_path).write_bytes(b"no database at all" * 1000)
    assert cache.read(MODEL, ["a"]) == {}
    cache.write(MODEL, some("a"))
    assert cache.read(MODEL, ["a"])


@pytest.mark.parametrize("wrong", [b"", b"\0" * 256, b"\xff" * 256, b"abc", 7, None, "text"])
def test_a_vector_that_is_not_sound_is_not_used(cache, tmp_path, wrong):
    cache.write(MODEL, some("a"))
    with closing(sqlite3.connect(file_of(tmp_path))) as db:
        db.execute("CREATE TABLE loose AS SELECT number, key, vector FROM vectors")
        db.execute("UPDATE loose SET vector = ?", (wrong,))
        db.execute("DROP TABLE vectors")
        db.execute("ALTER TABLE loose RENAME TO vectors")
        db.commit()
    assert cache.read(MODEL, ["a"]) == {}


def test_a_folder_that_cannot_be_made_costs_no_answer(tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    cache = VectorCache(file_of(tmp_path))
    cache.write(MODEL, some("a"))
    assert cache.read(MODEL, ["a"]) == {}


def test_several_threads_may_use_it_at_once(cache):
    def use(name):
        for number in range(10):
            cache.write(MODEL, some(f"{name}{number}"))

    threads = [threading.Thread(target=use, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (
        len(cache.read(MODEL, [f"{name}{number}" for name in "abcd" for number in range(10)])) == 40
    )
