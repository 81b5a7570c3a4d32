"""When the last backup was made."""

import pytest

from webapp.backups import note
from webapp.backups.note import LastBackup


def test_it_is_read_as_it_was_written(tmp_path):
    assert note.read(tmp_path) is None
    for last in (LastBackup(5, "/media/usb"), LastBackup(6, "/media/\udcff")):
        note.write(tmp_path, last)
        assert note.read(tmp_path) == last


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"made": "x", "folder": ""}', "\xff"])
def test_a_note_that_cannot_be_read_is_none(tmp_path, text):
    (tmp_path / note.FILE).write_bytes(text.encode("latin-1"))
    assert note.read(tmp_path) is None
