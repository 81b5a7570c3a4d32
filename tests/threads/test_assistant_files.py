"""Files of assistants: read, kept whole, brought up to date."""

import json

import pytest

from tests.threads.disk_faults import no_file_grows_beyond
from webapp.chat.assistant_migrations import V0_BEGINNING, V2_INSTRUCTIONS, V3_INSTRUCTIONS
from webapp.errors import BadInput, Damaged, StorageFailed
from webapp.threads.assistant_files import copy, folders, load, migrate, save, version


def put(data, name, fields):
    path = data / "assistants" / name / "assistant.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(fields if isinstance(fields, bytes) else json.dumps(fields).encode())
    return path


def told(path):
    return json.loads(path.read_bytes())["instructions"]


def test_the_folders_name_is_the_id_and_numbers_keep_their_spelling(tmp_path):
    path = put(tmp_path, "a", b'\xef\xbb\xbf{"id":"b","x":0.70}')
    found = load(path.parent)
    assert found.id == "a"
    save(path.parent, found.data)
    assert path.read_bytes() == b'{"id":"a","x":0.70}\n'


@pytest.mark.parametrize("bad", [b"", b"{", b"[]", b"3", b"\xff", b"[" * 9999, b" " * (2**22 + 1)])
def test_a_damaged_file_is_named(tmp_path, bad):
    with pytest.raises(Damaged, match="'cook'"):
        load(put(tmp_path, "cook", bad).parent)


def test_a_folder_with_an_unusable_name_is_named(tmp_path):
    with pytest.raises(Damaged, match="name"):
        load(put(tmp_path, "my cook", {}).parent)


def test_all_are_brought_up_to_date_once(tmp_path):
    old = put(tmp_path, "old", {"instructions": V0_BEGINNING, "x": 1})
    own = put(tmp_path, "own", {"instructions": "Mine."})
    before = own.read_bytes()
    assert migrate(tmp_path) == []
    assert told(old) == V3_INSTRUCTIONS
    assert own.read_bytes() == before
    assert version(tmp_path) == 3
    again = put(tmp_path, "later", {"instructions": V0_BEGINNING})
    assert migrate(tmp_path) == []
    assert told(again) == V0_BEGINNING


@pytest.mark.parametrize(("marker", "expected"), [(b"2", V3_INSTRUCTIONS), (b"3", V2_INSTRUCTIONS)])
def test_the_marker_says_where_to_begin(tmp_path, marker, expected):
    path = put(tmp_path, "a", {"instructions": V2_INSTRUCTIONS})
    (tmp_path / "assistants/.migration_version").write_bytes(marker)
    migrate(tmp_path)
    assert told(path) == expected


def test_an_unparsable_marker_counts_as_0_and_is_replaced(tmp_path):
    path = put(tmp_path, "a", {"instructions": V0_BEGINNING})
    (tmp_path / "assistants/.migration_version").write_bytes(b"\xfe??")
    assert migrate(tmp_path) == []
    assert (told(path), version(tmp_path)) == (V3_INSTRUCTIONS, 3)


def test_a_newer_marker_is_left_alone(tmp_path):
    path = put(tmp_path, "a", {"instructions": V0_BEGINNING})
    (tmp_path / "assistants/.migration_version").write_bytes(b"7")
    assert migrate(tmp_path) == []
    assert (told(path), version(tmp_path)) == (V0_BEGINNING, 7)


def test_a_damaged_one_is_named_and_skipped_and_the_rest_goes_on(tmp_path):
    bad = put(tmp_path, "a-bad", b"{")
    good = put(tmp_path, "b-good", {"instructions": V0_BEGINNING})
    complaints = migrate(tmp_path)
    assert len(complaints) == 1
    assert "'a-bad'" in complaints[0]
    assert told(good) == V3_INSTRUCTIONS
    assert bad.read_bytes() == b"{"
    assert version(tmp_path) == 3


def test_a_full_disk_leaves_the_old_file_and_it_is_tried_again(tmp_path):
    path = put(tmp_path, "a", {"instructions": V0_BEGINNING})
    before = path.read_bytes()
    with no_file_grows_beyond(10):
        assert len(migrate(tmp_path)) == 1
    assert (path.read_bytes(), version(tmp_path)) == (before, 0)
    assert migrate(tmp_path) == []
    assert told(path) == V3_INSTRUCTIONS


def test_an_empty_data_folder_is_up_to_date_at_once(tmp_path):
    assert migrate(tmp_path) == []
    assert version(tmp_path) == 3
    assert folders(tmp_path) == []


def test_a_new_one_that_cannot_be_saved_leaves_no_folder(tmp_path):
    with no_file_grows_beyond(5), pytest.raises(StorageFailed):
        save(tmp_path / "assistants/a", {"name": "Long enough"})
    assert not (tmp_path / "assistants/a").exists()


def test_fields_nested_too_deeply_are_refused_in_words(tmp_path):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(BadInput):
        save(tmp_path / "a", {"x": deep})


def test_a_copy_is_the_same_to_the_byte_unless_it_is_old(tmp_path):
    path = put(tmp_path, "a", b'{ "instructions" : "Mine." }')
    copy(path.parent, tmp_path / "b", 0)
    assert (tmp_path / "b/assistant.json").read_bytes() == path.read_bytes()
    old = put(tmp_path, "old", {"instructions": V0_BEGINNING})
    copy(old.parent, tmp_path / "c", 0)
    assert told(tmp_path / "c/assistant.json") == V3_INSTRUCTIONS
