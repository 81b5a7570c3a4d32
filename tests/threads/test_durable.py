import pytest

from tests.threads.disk_faults import no_file_grows_beyond
from webapp.errors import StorageFailed
from webapp.threads import durable


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


def test_every_error_says_what_to_do(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "missing" / "log", tmp_path / "file" / "log", tmp_path):
        with pytest.raises(StorageFailed, match="Nothing was saved") as failed:
            durable.append(path, b"x\n", durable=True)
        assert failed.value.do
    with pytest.raises(StorageFailed) as failed, durable.reading(tmp_path):
        (tmp_path / "missing").read_bytes()
    assert failed.value.do
