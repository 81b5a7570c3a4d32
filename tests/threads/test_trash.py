import pytest

from webapp.errors import Conflict, NotFound
from webapp.threads.folders import Folders
from webapp.threads.trash import Trash


@pytest.fixture
def folders(tmp_path):
    return Folders(tmp_path)


def make(folders, id):
    folder = folders.threads / id
    folder.mkdir()
    (folder / "thread.json").write_text(f'{{"title":"Title of {id}"}}')
    (folder / "odd file").write_bytes(b"\0\xff")


def files(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*")}


def test_a_folder_comes_back_byte_by_byte(folders):
    make(folders, "t")
    before = files(folders.threads / "t")
    trash = Trash(folders)
    trash.put_in("t", 5)
    assert not (folders.threads / "t").exists()
    assert [(each.title, each.deleted_at) for each in trash.entries()] == [("Title of t", 5)]
    trash.take_out("t")
    assert files(folders.threads / "t") == before


def test_one_id_may_be_deleted_again_in_the_same_millisecond(folders):
    trash = Trash(folders)
    for _ in range(3):
        make(folders, "t")
        trash.put_in("t", 5)
    assert [each.deleted_at for each in trash.entries()] == [7, 6, 5]


def test_nothing_is_put_over_a_thread_in_use(folders):
    trash = Trash(folders)
    make(folders, "t")
    trash.put_in("t", 5)
    (folders.threads / "t").mkdir()
    with pytest.raises(Conflict):
        trash.take_out("t")


def test_what_is_not_there_is_not_found(folders):
    with pytest.raises(NotFound):
        Trash(folders).take_out("t")
    with pytest.raises(NotFound):
        Trash(folders).put_in("t", 5)


def test_emptying_leaves_foreign_files_and_finishes_what_a_crash_left(folders):
    trash = Trash(folders)
    (folders.trash / "note.txt").write_text("mine")
    (folders.trash / "something").mkdir()
    make(folders, "t")
    trash.put_in("t", 5)
    (folders.trash / "5.t").rename(folders.trash / ".going.5.t")
    assert trash.entries() == []
    assert trash.empty(None) == 0
    assert sorted(path.name for path in folders.trash.iterdir()) == ["note.txt", "something"]
