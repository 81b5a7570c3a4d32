"""A folder is looked at as a zip is."""

import pytest

from webapp.archives.folder_entries import FolderEntries
from webapp.errors import BadInput


@pytest.fixture
def folder(tmp_path):
    for name in ("threads/a/one.json", "threads/b/two.json", "threads/b/deep/x", "other/c/y"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    (tmp_path / "threads/.mark").write_bytes(b"1")
    return tmp_path


def test_names_sizes_and_bytes_of_the_wanted_kinds(folder):
    entries = FolderEntries(folder, "threads", "gone")
    files = [name for name in entries.names if name != "threads/b/deep"]
    assert files == ["threads/.mark", "threads/a/one.json", "threads/b/two.json"]
    assert entries.size("threads/a/one.json") == 18
    with entries.open("threads/a/one.json") as stream:
        assert stream.read(100) == b"threads/a/one.json"


def test_what_went_meanwhile_is_told_in_a_sentence(folder):
    entries = FolderEntries(folder, "threads")
    (folder / "threads/a/one.json").unlink()
    with pytest.raises(BadInput, match="cannot be read"):
        entries.size("threads/a/one.json")
    with pytest.raises(BadInput, match="cannot be read"), entries.open("threads/b/deep"):
        pass


def test_a_folder_that_cannot_be_listed_is_told_and_one_within_it_stays_named(folder, monkeypatch):
    listed = type(folder).iterdir

    def torn(path):
        if path.name == at:
            raise PermissionError
        return listed(path)

    monkeypatch.setattr(type(folder), "iterdir", torn)
    at = "b"
    assert "threads/b/thread.json" in FolderEntries(folder, "threads").names
    at = "threads"
    with pytest.raises(BadInput, match="cannot be read"):
        FolderEntries(folder, "threads")
