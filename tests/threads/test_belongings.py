"""The files of threads in a database go where their thread goes, whatever comes in between."""

import pytest

from webapp.errors import StorageFailed
from webapp.threads.belongings import Belongings


@pytest.fixture
def belongings(tmp_path):
    for key in ("threads/t", "threads/other", "trash/5.old"):
        place = tmp_path / key / "files" / "f1"
        place.mkdir(parents=True)
        (place / "original").write_text(key)
    return Belongings(tmp_path)


def files(root):
    found = root.rglob("original")
    return {str(path.relative_to(root)): path.read_text() for path in found}


def test_files_follow_and_leave_no_empty_folder(belongings, tmp_path):
    with belongings.following() as follow:
        follow("t", "9.t")
        follow("nothing", "9.nothing")
    assert files(tmp_path)["trash/9.t/files/f1/original"] == "threads/t"
    assert sorted(path.name for path in (tmp_path / "threads").iterdir()) == ["other"]
    with belongings.following() as follow:
        follow("9.t", "t")
    assert sorted(path.name for path in (tmp_path / "trash").iterdir()) == ["5.old"]


def test_files_go_back_when_the_transaction_fails(belongings, tmp_path):
    before = files(tmp_path)
    with pytest.raises(StorageFailed), belongings.following() as follow:
        follow("t", "9.t")
        raise StorageFailed("The disk is full.")
    with pytest.raises(StorageFailed), belongings.leaving() as leave:
        leave(["5.old"])
        assert files(tmp_path) != before
        raise StorageFailed("The disk is full.")
    assert files(tmp_path) == before


def test_what_else_is_in_a_threads_folder_stays(belongings, tmp_path):
    (tmp_path / "threads/t/messages.jsonl").write_text("of a store that was used before")
    with belongings.following() as follow:
        follow("t", "9.t")
    assert [path.name for path in (tmp_path / "threads/t").iterdir()] == ["messages.jsonl"]


def test_what_left_the_trash_is_removed(belongings, tmp_path):
    with belongings.leaving() as leave:
        leave(["5.old", "6.nothing"])
    belongings.take_apart()
    assert list((tmp_path / "trash").iterdir()) == []
    assert len(files(tmp_path)) == 2


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        (["t", "other", "5.old"], {"threads/t", "threads/other", "trash/5.old"}),
        (["9.t", "other", "5.old"], {"trash/9.t", "threads/other", "trash/5.old"}),
        (["t", "other", "old"], {"threads/t", "threads/other", "threads/old"}),
        (["t"], {"threads/t", "threads/other", "trash/5.old"}),
    ],
)
def test_after_a_crash_files_are_where_the_database_says(belongings, tmp_path, keys, where):
    belongings.settle(keys)
    assert set(files(tmp_path)) == {f"{place}/files/f1/original" for place in where}


def test_a_trash_whose_emptying_was_cut_short_is_whole_again(belongings, tmp_path):
    before = files(tmp_path)
    with belongings.leaving() as leave:
        leave(["5.old"])
    belongings.settle(["5.old"])
    assert files(tmp_path) == before
