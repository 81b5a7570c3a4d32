"""A small file of ours: whole, private, and told when it is damaged."""

import os
import stat

import pytest

from webapp.errors import Damaged, StorageFailed
from webapp.people.json_file import JsonFile


def test_what_is_written_is_read_and_a_missing_file_is_empty(tmp_path):
    file = JsonFile(tmp_path / "people" / "people.json")
    assert file.read() == {}
    file.write({"name": "Zoë \ud800"})
    assert file.read() == {"name": "Zoë \ud800"}
    assert JsonFile(file.path).read() == {"name": "Zoë \ud800"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_other_users_of_the_machine_cannot_read_it(tmp_path):
    file = JsonFile(tmp_path / "people" / "people.json")
    for value in ({"a": 1}, {"a": 2}):
        file.write(value)
        assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700


def test_a_change_by_another_program_is_seen(tmp_path):
    file = JsonFile(tmp_path / "people.json")
    file.write({"a": 1})
    file.path.write_text('{"a": 22}')
    assert file.read() == {"a": 22}
    file.path.unlink()
    assert file.read() == {}


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe{}", b'"x"', b"[" * 100_000])
def test_a_damaged_file_lets_nobody_in_and_is_left_as_it_is(tmp_path, data):
    path = tmp_path / "people.json"
    path.write_bytes(data)
    with pytest.raises(Damaged, match="nobody can sign in"):
        JsonFile(path).read()
    assert path.read_bytes() == data


def test_a_disk_that_refuses_leaves_the_old_file(tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("")
    with pytest.raises(StorageFailed):
        JsonFile(blocked / "people.json").write({"a": 1})
