from contextlib import suppress

import pytest

from tests.threads.disk_faults import Disk, broken_for_good, error_once, no_file_grows_beyond
from webapp import durable
from webapp.errors import StorageFailed


@pytest.mark.parametrize("durably", [True, False])
def test_an_append_begins_on_a_fresh_line(tmp_path, durably):
    path = tmp_path / "log"
    durable.append(path, b"one\n", durable=durably)
    durable.append(path, b"torn", durable=durably)
    durable.append(path, b"two\n", durable=durably)
    assert path.read_bytes() == b"one\ntorn\ntwo\n"


def test_a_half_write_is_taken_back(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\ntorn")
    with no_file_grows_beyond(20), pytest.raises(StorageFailed, match="disk is full"):
        durable.append(path, b"x" * 1000, durable=False)
    assert path.read_bytes() == b"one\ntorn"
    with no_file_grows_beyond(20), pytest.raises(StorageFailed):
        durable.append(tmp_path / "new", b"x" * 1000, durable=False)
    assert not (tmp_path / "new").exists()


def test_a_replaced_file_is_old_or_new(tmp_path):
    path = tmp_path / "file"
    durable.replace(path, b"old")
    with no_file_grows_beyond(5), pytest.raises(StorageFailed, match="disk is full"):
        durable.replace(path, b"new and longer")
    assert path.read_bytes() == b"old"
    durable.replace(path, b"new and longer")
    assert path.read_bytes() == b"new and longer"
    assert list(tmp_path.iterdir()) == [path]


def test_a_directory_that_cannot_be_synced_leaves_all_as_it_was(tmp_path):
    path, other = tmp_path / "file", tmp_path / "other"
    durable.replace(path, b"old")
    for act in (
        lambda: durable.replace(path, b"new"),
        lambda: durable.move(path, tmp_path / "moved"),
        lambda: durable.append(other, b"new\n", durable=False),
        lambda: durable.replace(other, b"new"),
    ):
        with Disk().watching() as disk, suppress(FileNotFoundError):
            act()
        syncs = len(disk.calls) - 1 - disk.calls[::-1].index("fsync")
        other.unlink(missing_ok=True)
        if (tmp_path / "moved").exists():
            durable.move(tmp_path / "moved", path)
        durable.replace(path, b"old")
        with (
            Disk(syncs, error_once).watching(),
            pytest.raises(StorageFailed, match=r"^Nothing was"),
        ):
            act()
        assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"file": b"old"}


def test_what_could_not_be_taken_back_is_said(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\n")
    with Disk(1, broken_for_good).watching():
        for act in (
            lambda: durable.append(path, b"two\n", durable=True),
            lambda: durable.cut(path, 2),
        ):
            with pytest.raises(StorageFailed, match=r"^It is not certain") as failed:
                act()
            assert "look at what is there" in failed.value.do


def test_several_are_moved_or_none(tmp_path):
    names = [(tmp_path / name, tmp_path / f"moved {name}") for name in "abc"]
    for source, _ in names[:2]:
        source.write_text(source.name)
    with pytest.raises(StorageFailed, match="Nothing was moved"):
        durable.move_all(names)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "b"]
    durable.move_all(names[:2])
    durable.move_all([])
    assert sorted(each.name for each in tmp_path.iterdir()) == ["moved a", "moved b"]


def test_what_was_appended_is_cut_off_again(tmp_path):
    path = tmp_path / "log"
    durable.cut(path, 0)
    assert durable.size(path) == 0
    path.write_bytes(b"one\ntwo\n")
    durable.cut(path, 4)
    durable.cut(path, 6)
    assert path.read_bytes() == b"one\n"
    assert durable.size(path) == 4


def test_every_error_says_what_to_do(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "missing" / "log", tmp_path / "file" / "log", tmp_path):
        with pytest.raises(StorageFailed, match="Nothing was saved") as failed:
            durable.append(path, b"x\n", durable=True)
        assert failed.value.do
    with pytest.raises(StorageFailed) as failed, durable.reading(tmp_path):
        (tmp_path / "missing").read_bytes()
    assert failed.value.do
