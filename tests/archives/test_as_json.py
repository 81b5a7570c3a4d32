"""Everything as JSON: what is in the zip, and what is not."""

import io
import json
import zipfile

import pytest

from tests.archives.lives import LEASE
from webapp.archives.as_json import encoded
from webapp.errors import BadInput


def test_each_thing_has_its_place(taken, owned, library):
    with zipfile.ZipFile(io.BytesIO(taken())) as archive:
        assert sorted(archive.namelist()) == sorted(
            [
                "strata.json",
                "assistants/tutor.json",
                f"projects/{owned}.json",
                f"files/projects/{owned}/f1/house rules.txt",
                "threads/lived.json",
                "files/threads/lived/f1/lease.txt",
                "threads/other.json",
            ]
        )
        assert json.loads(archive.read("strata.json"))["format"] == "strata-archive"
        thread = json.loads(archive.read("threads/lived.json"))
        assert thread["messages"] == [dict(each.data) for each in library.acts.whole("lived")[1]]
        assert archive.read("files/threads/lived/f1/lease.txt") == LEASE


def test_whose_it_is_and_keys_stay_behind(taken, owned):
    with zipfile.ZipFile(io.BytesIO(taken())) as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist())
        project = json.loads(archive.read(f"projects/{owned}.json"))
    for secret in (b'"ann"', b"bob", b"sk-1"):
        assert secret not in whole
    assert project["project"]["instructions"] == "Be exact."
    assert [each["name"] for each in project["files"]] == ["house rules.txt"]


def test_files_stay_unless_they_are_wanted(taken):
    with zipfile.ZipFile(io.BytesIO(taken(with_files=False))) as archive:
        assert not [name for name in archive.namelist() if name.startswith("files/")]
        assert b"lease.txt" in archive.read("threads/lived.json")


def test_a_key_in_the_snapshot_of_an_assistant_stays_too(taken, store, library):
    thread = store.get_thread("lived").with_fields(assistants=[{"id": "x", "api_key": "sk-2"}])
    store.modify_thread(thread)
    library._desk.open_threads.close_idle()
    with zipfile.ZipFile(io.BytesIO(taken())) as archive:
        found = json.loads(archive.read("threads/lived.json"))
    assert found["thread"]["assistants"] == [{"id": "x"}]


def test_what_is_nested_too_deeply_is_said():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(BadInput, match="nested"):
        encoded({"a": deep})
