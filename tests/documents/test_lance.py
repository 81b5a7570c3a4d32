"""Tables on a real disk: what is written is found, what is deleted is gone, for all readers."""

import subprocess
import sys
import threading

import numpy as np
import pytest

from tests.documents.searching import DIMENSION, numbered, passages, unit
from tests.threads.disk_faults import folder_for_anyone, no_file_grows_beyond, read_only
from webapp.documents.lance import LanceTables
from webapp.errors import Conflict, Damaged, EngineFailed, StorageFailed

TABLE = "attachments_a"


@pytest.fixture
def lance(tmp_path):
    return LanceTables(tmp_path / "lance")


def add(lance, file_id, count=5, seed=0, table=TABLE, space="space"):
    vectors = unit(count, seed=seed)
    lance.add(table, space, file_id, numbered(count, file_id), vectors)
    return vectors


def ids(rows):
    return [rows.passage(number).id for number in range(len(rows))] if rows else []


def test_a_table_begins_with_its_first_file_and_says_who_made_its_vectors(lance):
    assert lance.names() == []
    assert lance.mark(TABLE) is None
    assert lance.facts(TABLE) is None
    add(lance, "f1")
    facts = lance.facts(TABLE)
    assert (facts.space, facts.dimension, facts.rows, facts.segments) == ("space", DIMENSION, 5, 0)
    assert lance.names() == [TABLE]


def test_five_files_at_the_same_time_are_all_there(lance):
    barrier, errors = threading.Barrier(5), []

    def one(number):
        try:
            barrier.wait(10)
            add(lance, f"f{number}", 20, seed=number)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert lance.facts(TABLE).rows == 100


def test_the_closest_passages_of_the_files_asked_for_are_found(lance):
    vectors = add(lance, "f1", 30)
    add(lance, "f2", 30, seed=1)
    assert ids(lance.nearest(TABLE, vectors[7], 3, ["f1"], indexed=False))[0] == "f1-7"
    only = lance.nearest(TABLE, vectors[7], 100, ["f2"], indexed=False)
    assert {each.split("-")[0] for each in ids(only)} == {"f2"}
    assert lance.nearest(TABLE, vectors[7], 3, [], indexed=False) is None
    assert lance.nearest("attachments_none", vectors[7], 3, ["f1"], indexed=False) is None


def test_ids_in_filters_are_values_and_never_language(lance):
    odd = ["f' OR '1'='1", 'f"; --', "名字\n", "f%"]
    for number, file_id in enumerate(odd):
        add(lance, file_id, 2, seed=number)
    for file_id in odd:
        assert len(lance.nearest(TABLE, unit(1)[0], 50, [file_id], indexed=False)) == 2
    lance.remove(TABLE, [odd[0]])
    assert lance.facts(TABLE).rows == 6


def test_a_file_that_is_added_again_replaces_its_passages(lance):
    add(lance, "f1", 9)
    add(lance, "f2", 2)
    add(lance, "f1", 4, seed=5)
    assert lance.facts(TABLE).rows == 6
    lance.add(TABLE, "space", "f1", [], np.empty((0, DIMENSION), np.float32))
    assert lance.facts(TABLE).rows == 2


def test_what_is_deleted_is_gone_through_every_open_handle(lance, tmp_path):
    vectors = add(lance, "f1", 30)
    add(lance, "f2", 5, seed=1)
    other = LanceTables(tmp_path / "lance")
    assert len(other.read(TABLE)) == 35
    lance.remove(TABLE, ["f1", "unknown"])
    for reader in (lance, other):
        assert reader.facts(TABLE).rows == 5
        assert ids(reader.nearest(TABLE, vectors[0], 50, ["f1"], indexed=True)) == []
        assert ids(reader.matching(TABLE, "f1", 50, ["f1"])) == []
    lance.optimize(TABLE)
    lance.build_vector_index(TABLE)
    assert ids(other.nearest(TABLE, vectors[0], 50, ["f1"], indexed=True)) == []


def test_words_are_found_in_any_language_and_in_code(lance):
    texts = (
        "任何一方均可提前九十天通知终止合同。",
        "def parse_config(path): return path",
        "契約の通知期間は三か月です。",
        "The kettles were boiling over.",
        "계약 해지 통지",
    )
    lance.add(TABLE, "space", "f", passages(*texts), unit(5))
    found = {
        words: ids(lance.matching(TABLE, words, 1, ["f"]))
        for words in ("通知合同", "config", "通知期間", "kettle", "통지")
    }
    assert found == {
        "通知合同": ["f-0"],
        "config": ["f-1"],
        "通知期間": ["f-2"],
        "kettle": ["f-3"],
        "통지": ["f-4"],
    }


@pytest.mark.parametrize(
    "words", ["", "?!", "' OR TRUE --", "\0", '"a', "x" * 5000, "a " * 3000, "*:("]
)
def test_odd_words_find_nothing_and_break_nothing(lance, words):
    add(lance, "f1", 3)
    assert ids(lance.matching(TABLE, words, 5, ["f1"])) == []


def test_passages_are_read_by_their_order(lance):
    add(lance, "f1", 20)
    add(lance, "f2", 20)
    assert ids(lance.between(TABLE, "f1", 3, 5)) == ["f1-3", "f1-4", "f1-5"]
    assert ids(lance.between(TABLE, "f1", 18, 99)) == ["f1-18", "f1-19"]
    assert lance.between(TABLE, "f1", 5, 3) is None


@pytest.mark.parametrize(
    "vectors",
    [
        unit(3, 32),
        np.zeros((3, DIMENSION), np.float32),
        np.full((3, DIMENSION), np.nan, np.float32),
        np.full((3, DIMENSION), np.inf, np.float32),
        unit(2),
    ],
    ids=["dimension", "zero", "nan", "infinite", "count"],
)
def test_unusable_vectors_are_refused_before_anything_is_written(lance, vectors):
    add(lance, "f1", 3)
    before = lance.mark(TABLE)
    with pytest.raises((EngineFailed, Conflict)):
        lance.add(TABLE, "space", "f2", numbered(3), vectors)
    assert lance.mark(TABLE) == before
    with pytest.raises((EngineFailed, Damaged)):
        lance.nearest(TABLE, vectors[0][:60], 1, ["f1"], indexed=False)


def test_vectors_of_another_model_do_not_get_into_a_table(lance):
    add(lance, "f1")
    with pytest.raises(Conflict, match="another embedding model"):
        add(lance, "f2", space="other")


def test_other_vectors_take_the_place_of_all_at_one_stroke(lance):
    add(lance, "f1", 10)
    seen, rows = lance.mark(TABLE), lance.read(TABLE)
    new = unit(10, 32, seed=9)
    assert lance.swap(TABLE, seen, rows, new, "new")
    assert (lance.facts(TABLE).space, lance.facts(TABLE).dimension) == ("new", 32)
    assert ids(lance.nearest(TABLE, new[4], 1, ["f1"], indexed=False)) == ["f1-4"]
    assert ids(lance.matching(TABLE, "f1 4", 1, ["f1"])) == ["f1-4"]


def test_a_swap_is_refused_when_the_table_changed_meanwhile(lance):
    add(lance, "f1", 10)
    seen, rows = lance.mark(TABLE), lance.read(TABLE)
    lance.remove(TABLE, ["f1"])
    assert not lance.swap(TABLE, seen, rows, unit(10, 32), "new")
    lance.drop(TABLE)
    assert not lance.swap(TABLE, None, rows, unit(10, 32), "new")
    assert lance.names() == []


def test_a_dropped_table_leaves_nothing_and_may_come_again(lance, tmp_path):
    add(lance, "f1")
    other = LanceTables(tmp_path / "lance")
    marks = {lance.mark(TABLE)}
    other.read(TABLE)
    lance.drop(TABLE)
    lance.drop(TABLE)
    assert list((tmp_path / "lance").iterdir()) == []
    assert other.read(TABLE) is None
    add(lance, "f2", 3)
    assert ids(other.read(TABLE)) == ["f2-0", "f2-1", "f2-2"]
    assert lance.mark(TABLE) not in marks


def test_every_change_leaves_another_mark(lance):
    marks = []
    for act in (
        lambda: add(lance, "f1"),
        lambda: add(lance, "f2"),
        lambda: lance.remove(TABLE, ["f1"]),
        lambda: lance.build_vector_index(TABLE),
    ):
        act()
        marks.append(lance.mark(TABLE))
    assert len(set(marks)) == len(marks)


def test_an_empty_folder_left_by_a_crash_is_no_table_and_is_written_over(lance, tmp_path):
    (tmp_path / "lance" / f"{TABLE}.lance").mkdir(parents=True)
    assert lance.facts(TABLE) is None
    assert lance.read(TABLE) is None
    add(lance, "f1")
    assert lance.facts(TABLE).rows == 5


def test_a_damaged_table_says_so_and_can_be_dropped(lance, tmp_path):
    add(lance, "f1")
    for manifest in (tmp_path / "lance" / f"{TABLE}.lance" / "_versions").glob("*.manifest"):
        manifest.write_bytes(manifest.read_bytes()[:20])
    broken = LanceTables(tmp_path / "lance")
    with pytest.raises(Damaged) as error:
        broken.read(TABLE)
    assert str(tmp_path) not in str(error.value)
    with pytest.raises(Damaged):
        add(broken, "f2")
    broken.drop(TABLE)
    add(broken, "f1")
    assert broken.facts(TABLE).rows == 5


def test_an_index_of_words_that_a_crash_prevented_is_made_up_for(lance, tmp_path):
    add(lance, "f1")
    table = lance._open(TABLE)
    table.drop_index("text_idx")
    assert ids(lance.matching(TABLE, "f1 3", 1, ["f1"])) == ["f1-3"]


def test_a_folder_that_may_not_be_written_to_is_searched_and_says_that_nothing_was_saved():
    with folder_for_anyone() as folder:
        lance = LanceTables(folder)
        vectors = add(lance, "f1")
        with read_only(folder):
            reader = LanceTables(folder)
            assert ids(reader.nearest(TABLE, vectors[2], 1, ["f1"], indexed=False)) == ["f1-2"]
            assert ids(reader.matching(TABLE, "f1 2", 1, ["f1"])) == ["f1-2"]
            for act in (
                lambda: add(reader, "f2"),
                lambda: add(reader, "f1", table="attachments_b"),
                lambda: reader.remove(TABLE, ["f1"]),
                lambda: reader.drop(TABLE),
            ):
                with pytest.raises(StorageFailed, match="does not allow"):
                    act()
        assert lance.facts(TABLE).rows == 5


def test_a_full_disk_says_so_and_leaves_the_table_as_it_was(lance):
    add(lance, "f1")
    with no_file_grows_beyond(200):
        with pytest.raises(StorageFailed, match="full"):
            add(lance, "f2", 500)
        with pytest.raises(StorageFailed, match="full"):
            add(lance, "f1", table="attachments_b")
    assert lance.facts(TABLE).rows == 5
    add(lance, "f2")
    add(lance, "f1", table="attachments_b")
    assert lance.facts(TABLE).rows == 10


def test_the_library_is_not_imported_before_it_is_needed():
    code = (
        "import sys, webapp.documents.retrieval, webapp.documents.reembedding\n"
        "from webapp.documents.lance import LanceTables\n"
        "from pathlib import Path\n"
        "lance = LanceTables(Path('nowhere'))\n"
        "lance.names(), lance.mark('a'), lance.drop('a'), lance.read('a')\n"
        "assert not {'lancedb', 'pyarrow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
