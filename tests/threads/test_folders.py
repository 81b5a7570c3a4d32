import pytest

from webapp.errors import NotFound, StorageFailed
from webapp.threads.folders import Folders, half_made, misnamed


@pytest.mark.parametrize("id", ["", ".", "..", "../x", "a/b", "a\\b", "a\0", "x" * 65, "é", "a.b"])
def test_no_path_is_made_of_what_is_no_id(tmp_path, id):
    with pytest.raises(NotFound):
        Folders(tmp_path).thread(id)


def test_an_unknown_thread_is_not_found_and_a_lost_directory_is_a_failure(tmp_path):
    folders = Folders(tmp_path / "data")
    with pytest.raises(NotFound):
        folders.existing("t")
    (folders.threads / "t").mkdir()
    assert folders.existing("t") == tmp_path / "data" / "threads" / "t"
    (tmp_path / "data").rename(tmp_path / "aside")
    with pytest.raises(StorageFailed):
        folders.existing("t")


def test_a_thread_is_made_beside_and_put_in_its_place_whole(tmp_path):
    folders = Folders(tmp_path)
    with pytest.raises(StorageFailed), folders.beside(folders.threads / "t") as new:
        (new / "thread.json").write_text("{}")
        raise StorageFailed("The disk is full.")
    assert list(folders.threads.iterdir()) == []
    (folders.threads / ".t.new").mkdir()  # of a process that died
    (folders.threads / ".t.new" / "messages.jsonl").write_text("half")
    assert [path.name for path in half_made(tmp_path)] == [".t.new"]
    assert misnamed(tmp_path) == []
    with folders.beside(folders.threads / "t") as new:
        (new / "thread.json").write_text("{}")
        assert not (folders.threads / "t").exists()
    assert [path.name for path in (folders.threads / "t").iterdir()] == ["thread.json"]
    assert half_made(tmp_path) == []
    with folders.beside(folders.threads / "t") as known:
        assert known == folders.threads / "t"
