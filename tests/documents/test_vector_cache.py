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


def keep(cache, vectors, *owners):
    """`vectors`, new or not, for each of `owners`."""
    cache.keep(MODEL, vectors, [(text, owner) for text in vectors for owner in owners or ("f",)])


def test_what_was_written_is_read_again_by_its_text(cache):
    kept = some("a", "b", "合同 \0 '")
    keep(cache, kept)
    found = cache.read(MODEL, [*kept, "c"])
    assert found.keys() == kept.keys()
    assert all(np.array_equal(found[text], kept[text]) for text in kept)


def test_other_models_prefixes_and_dimensions_have_vectors_of_their_own(cache):
    keep(cache, some("a"))
    for other in (
        EmbeddingModel("others", 64),
        EmbeddingModel("words", 64, passage_prefix="passage: "),
        EmbeddingModel("words", 32),
    ):
        assert cache.read(other, ["a"]) == {}


def test_the_oldest_go_first(cache):
    for number in range(0, 300, 50):
        keep(cache, some(*(f"text {number + each}" for each in range(50))))
    found = cache.read(MODEL, [f"text {number}" for number in range(300)])
    assert set(found) == {f"text {number}" for number in range(200, 300)}


def test_a_deleted_file_is_made_again(cache, tmp_path):
    keep(cache, some("a"))
    file_of(tmp_path).unlink()
    assert cache.read(MODEL, ["a"]) == {}
    keep(cache, some("a"))
    assert cache.read(MODEL, ["a"])


def test_a_file_that_is_no_database_is_made_again(cache, tmp_path):
    file_of(tmp_path).parent.mkdir()
    file_of(tmp_path).write_bytes(b"no database at all" * 1000)
    assert cache.read(MODEL, ["a"]) == {}
    keep(cache, some("a"))
    assert cache.read(MODEL, ["a"])


@pytest.mark.parametrize("wrong", [b"", b"\0" * 256, b"\xff" * 256, b"abc", 7, None, "text"])
def test_a_vector_that_is_not_sound_is_not_used(cache, tmp_path, wrong):
    keep(cache, some("a"))
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
    keep(cache, some("a"))
    assert cache.read(MODEL, ["a"]) == {}


def test_several_threads_may_use_it_at_once(cache):
    def use(name):
        for number in range(10):
            keep(cache, some(f"{name}{number}"))

    threads = [threading.Thread(target=use, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (
        len(cache.read(MODEL, [f"{name}{number}" for name in "abcd" for number in range(10)])) == 40
    )


def test_a_text_that_nobody_owns_is_not_kept(cache, tmp_path):
    cache.keep(MODEL, some("a"), [])
    assert not file_of(tmp_path).exists()
    cache.keep(MODEL, some("a", "b"), [("a", "f")])
    assert cache.read(MODEL, ["a", "b"]).keys() == {"a"}


def test_what_is_forgotten_is_gone_for_every_model_and_what_others_own_stays(cache):
    keep(cache, some("own", "shared"), "f")
    cache.keep(EmbeddingModel("another", 64), some("own"), [("own", "f")])
    cache.keep(MODEL, {}, [("shared", "g")])  # it was known, and is g's too
    assert cache.owners() == {"f", "g"}
    cache.forget(["f", "unknown"])
    assert cache.owners() == {"g"}
    assert cache.read(MODEL, ["own", "shared"]).keys() == {"shared"}
    assert cache.read(EmbeddingModel("another", 64), ["own"]) == {}
    cache.forget(["g"])
    assert cache.read(MODEL, ["shared"]) == {}


def test_what_is_forgotten_is_off_the_disk(cache, tmp_path):
    vector = some("secret")["secret"].tobytes()
    keep(cache, some("other"), "g")
    keep(cache, some("secret"), "f")
    assert vector in file_of(tmp_path).read_bytes()
    cache.forget(["f", "g"])
    assert vector not in file_of(tmp_path).read_bytes()


def test_owners_go_with_the_last_of_their_vectors(cache):
    keep(cache, some(*(f"old {number}" for number in range(60))), "old")
    keep(cache, some(*(f"new {number}" for number in range(100))), "new")
    assert cache.owners() == {"new"}


def test_a_file_of_before_vectors_had_owners_is_begun_anew(cache, tmp_path):
    file_of(tmp_path).parent.mkdir()
    with closing(sqlite3.connect(file_of(tmp_path))) as db:
        db.execute("CREATE TABLE vectors (number INTEGER PRIMARY KEY, key BLOB, vector BLOB)")
        db.execute("INSERT INTO vectors (key, vector) VALUES (x'00', x'00')")
        db.commit()
    assert cache.owners() == set()
    keep(cache, some("a"))
    assert cache.read(MODEL, ["a"])
    with closing(sqlite3.connect(file_of(tmp_path))) as db:
        assert db.execute("SELECT count(*) FROM vectors").fetchone() == (1,)


def test_nothing_is_made_to_be_forgotten(cache, tmp_path):
    cache.forget(["f"])
    assert cache.owners() == set()
    assert not file_of(tmp_path).exists()


def test_a_file_that_cannot_be_written_is_still_read(cache, tmp_path):
    keep(cache, some("a"))
    with closing(sqlite3.connect(file_of(tmp_path), isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")  # somebody else writes, for longer than we wait
        cache.keep(MODEL, some("b"), [("b", "f")])
        assert cache.read(MODEL, ["a", "b"]).keys() == {"a"}
