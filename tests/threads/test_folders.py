import pytest

from webapp.errors import NotFound, StorageFailed
from webapp.threads.folders import Folders


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
