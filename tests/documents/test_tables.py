"""Tables with copies and indexes: one result on every path."""

import threading
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.documents.searching import DIMENSION, numbered, unit
from tests.threads.disk_faults import folder_for_anyone, read_only
from webapp.documents.background import Background
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.lance_folder import is_untidy
from webapp.documents.tables import PassageTables
from webapp.errors import Conflict, EngineFailed

TABLE = "attachments_a"
MODEL = EmbeddingModel("words", DIMENSION)
ROWS = 5200


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Two files in a table that is just large enough for an index."""
    background = Background()
    tables = PassageTables(tmp_path_factory.mktemp("large") / "lance", background)
    rows = unit(ROWS - 200)
    near = rows[:200] + unit(200, seed=7) * np.float32(0.3)  # so that some pass the threshold
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    vectors = np.concatenate([rows, near])
    tables.add(TABLE, MODEL, "f1", numbered(4000), vectors[:4000])
    tables.add(TABLE, MODEL, "f2", numbered(ROWS - 4000), vectors[4000:])
    assert background.wait(60)
    yield tables, vectors
    background.close()


def found(hits):
    return [(hit.passage.id, hit.cosine) for hit in hits]


def test_a_large_table_gets_an_index_in_the_background(large):
    tables, _ = large
    assert tables.facts(TABLE).segments == 1
    assert tables.index_works is True


@pytest.mark.parametrize("files", [["f1", "f2"], ["f2"]], ids=["all", "one"])
def test_flat_and_indexed_give_the_same_rows_in_the_same_order_with_the_same_scores(large, files):
    tables, vectors = large
    for question in vectors[::400]:
        flat = tables.nearest(TABLE, question, 20, files, "linear")
        for mode in ("auto", "ann"):
            indexed = tables.nearest(TABLE, question, 20, files, mode)
            assert [id for id, _ in found(indexed)] == [id for id, _ in found(flat)]
            assert np.allclose(
                [hit.cosine for hit in indexed], [hit.cosine for hit in flat], atol=1e-6
            )
            assert [hit.cosine >= 0.3 for hit in indexed] == [hit.cosine >= 0.3 for hit in flat]
        assert flat == sorted(flat, key=lambda hit: -hit.cosine)
        assert {hit.passage.file_id for hit in flat} <= set(files)


def test_each_way_agrees_with_looking_at_every_row(large):
    tables, vectors = large
    question = unit(1, seed=3)[0]
    cosines = vectors.astype(np.float64) @ question.astype(np.float64)
    best = np.argsort(-cosines)[:10]
    expected = [f"f1-{n}" if n < 4000 else f"f2-{n - 4000}" for n in best]
    for mode in ("auto", "ann", "linear"):
        hits = tables.nearest(TABLE, question, 10, ["f1", "f2"], mode)
        assert [hit.passage.id for hit in hits] == expected
        assert np.allclose([hit.cosine for hit in hits], cosines[best], atol=1e-6)


def test_a_table_too_large_for_a_copy_is_searched_all_the_same(large, background):
    tables, vectors = large
    small = PassageTables(tables._folder, background, copies_bytes=1000)
    for question in vectors[::1000]:
        assert found(small.nearest(TABLE, question, 5, ["f1"], "linear")) == found(
            tables.nearest(TABLE, question, 5, ["f1"], "linear")
        )


def test_what_is_added_to_or_deleted_from_an_indexed_table_is_found_or_not_at_once(tmp_path):
    background = Background()
    tables = PassageTables(tmp_path, background, index_from=300)
    vectors, new = unit(300), unit(1, seed=9)
    tables.add(TABLE, MODEL, "f1", numbered(300), vectors)
    assert background.wait(60)
    assert tables.facts(TABLE).segments == 1
    background.close()  # no upkeep from here on
    tables.add(TABLE, MODEL, "f2", numbered(1), new)
    tables.remove(TABLE, ["f1"])
    for mode in ("auto", "ann", "linear"):
        hits = tables.nearest(TABLE, new[0], 5, ["f1", "f2"], mode)
        assert [hit.passage.id for hit in hits] == ["f2-0"]
        assert tables.nearest(TABLE, vectors[0], 5, ["f1"], mode) == []


def test_an_index_that_has_grown_by_pieces_is_made_anew(tmp_path, background):
    tables = PassageTables(tmp_path, background, index_from=256)
    for number in range(8):
        tables.add(TABLE, MODEL, f"f{number}", numbered(256), unit(256, seed=number))
        assert background.wait(60)
        assert 0 < tables.facts(TABLE).segments <= 4
    assert tables.facts(TABLE).rows == 8 * 256


def test_equal_passages_come_in_the_order_of_their_files(tables):
    same = np.repeat(unit(1), 6, axis=0)
    for file_id in ("f2", "f1"):
        tables.add(TABLE, MODEL, file_id, numbered(6), same)
    hits = tables.nearest(TABLE, same[0], 12, ["f1", "f2"])
    assert [hit.passage.id for hit in hits] == [f"f{f}-{n}" for f in (1, 2) for n in range(6)]


@pytest.fixture(scope="module")
def two_files(tmp_path_factory):
    background = Background()
    tables = PassageTables(tmp_path_factory.mktemp("two") / "lance", background)
    for number, file_id in enumerate(("f1", "f2")):
        tables.add(TABLE, MODEL, file_id, numbered(8), unit(8, seed=number))
    yield tables
    background.close()


@given(
    count=st.integers(0, 40),
    files=st.sets(st.sampled_from(["f1", "f2", "f3"])),
    seed=st.integers(0, 99),
)
@settings(max_examples=25, deadline=None)
def test_no_more_and_no_others_than_were_asked_for(two_files, count, files, seed):
    hits = two_files.nearest(TABLE, unit(1, seed=seed)[0], count, files)
    assert len(hits) == min(count, 8 * len(files - {"f3"}))
    assert {hit.passage.file_id for hit in hits} <= files
    cosines = [hit.cosine for hit in hits]
    assert cosines == sorted(cosines, reverse=True)


@pytest.mark.parametrize("wrong", [unit(1, 32)[0], np.zeros(DIMENSION, np.float32)])
def test_a_question_whose_vector_is_not_sound_is_refused(tables, wrong):
    tables.add(TABLE, MODEL, "f1", numbered(3), unit(3))
    with pytest.raises(EngineFailed):
        tables.nearest(TABLE, wrong, 3, ["f1"])


def test_vectors_of_another_length_than_the_model_says_are_refused(tables):
    with pytest.raises(EngineFailed):
        tables.add(TABLE, MODEL, "f1", numbered(3), unit(3, 32))
    assert tables.names() == []
    tables.add(TABLE, MODEL, "f1", numbered(3), unit(3))
    with pytest.raises(Conflict):
        tables.add(TABLE, EmbeddingModel("others", DIMENSION), "f2", numbered(3), unit(3))


def test_a_table_is_read_while_another_thread_writes_to_it(tables):
    tables.add(TABLE, MODEL, "f0", numbered(20), unit(20))
    errors, stop = [], threading.Event()

    def read():
        try:
            while not stop.is_set():
                assert len(tables.nearest(TABLE, unit(1)[0], 20, ["f0"])) == 20
                assert len(tables.matching(TABLE, "passage", 20, ["f0"])) == 20
        except BaseException as error:
            errors.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(1, 9):
        tables.add(TABLE, MODEL, f"f{number}", numbered(20), unit(20, seed=number))
        tables.remove(TABLE, [f"f{number - 1}"] if number > 1 else [])
    stop.set()
    for reader in readers:
        reader.join()
    assert errors == []
    assert tables.facts(TABLE).rows == 40


def test_many_small_additions_are_put_together_by_upkeep(tables, background, tmp_path):
    for number in range(12):
        tables.add(TABLE, MODEL, f"f{number}", numbered(2), unit(2, seed=number))
    assert background.wait(30)
    tables.tend(TABLE)
    assert len(tables.lance._open(TABLE).to_arrow()) == 24
    stats = tables.lance._open(TABLE).stats()
    assert stats["fragment_stats"]["num_fragments"] <= 2


def test_a_dropped_table_is_gone_with_its_copy(tables):
    tables.add(TABLE, MODEL, "f1", numbered(3), unit(3))
    assert tables.nearest(TABLE, unit(3)[0], 3, ["f1"])
    tables.drop(TABLE)
    assert tables.facts(TABLE) is None
    assert tables.nearest(TABLE, unit(3)[0], 3, ["f1"]) == []
    assert tables.matching(TABLE, "passage", 3, ["f1"]) == []
    assert tables.between(TABLE, "f1", 0, 9) == []
    tables.drop(TABLE)
    tables.tend(TABLE)


def test_a_disk_on_which_no_index_can_be_made_is_found_out_by_trying(background):
    with folder_for_anyone() as folder:
        tables = PassageTables(folder, background, index_from=10)
        tables.add(TABLE, MODEL, "f1", numbered(20), unit(20))
        assert background.wait(30)
        with read_only(folder):
            other = PassageTables(folder, background, index_from=10)
            assert other.check_index() is False
            hits = other.nearest(TABLE, unit(20)[4], 1, ["f1"], "ann")
            assert hits[0].passage.id == "f1-4"


def test_a_table_of_one_thread_does_not_care_for_a_hundred_others(tables):
    for number in range(60):
        tables.add(f"attachments_{number}", MODEL, "f", numbered(5), unit(5, seed=number))
    assert len(tables.names()) == 60
    hits = tables.nearest("attachments_7", unit(5, seed=7)[3], 1, ["f"])
    assert hits[0].passage.id == "f-3"


@pytest.mark.parametrize("files", [2, 40])
def test_what_is_deleted_is_off_the_disk_after_the_grace(tmp_path, background, files):
    tables = PassageTables(tmp_path, background, grace=timedelta(milliseconds=20))
    for number in range(files):
        tables.add(
            TABLE, MODEL, f"f{number}", numbered(20, f"word{number}x"), unit(20, seed=number)
        )
    assert background.wait(30)

    def on_disk(word):
        paths = [path for path in tmp_path.rglob("*") if path.is_file()]
        return any(word in path.read_bytes() for path in paths)

    assert on_disk(b"word1x")
    tables.remove(TABLE, ["f1"])
    tidy = threading.Event()

    def look():
        if is_untidy(tmp_path / f"{TABLE}.lance"):
            background.add("look again", look, 0.02)
        else:
            tidy.set()

    background.add("look", look)
    assert tidy.wait(30)
    assert background.wait(30)
    assert not on_disk(b"word1x")
    assert on_disk(b"word0x")
    assert tables.facts(TABLE).rows == 20 * (files - 1)
    assert tables.matching(TABLE, "word0x", 5, ["f0"])
    tables.add(TABLE, MODEL, "new", numbered(2), unit(2))
