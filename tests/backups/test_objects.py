"""Pieces are there whole, or not at all."""

import hashlib
import os

import pytest

from webapp.backups.objects import Objects
from webapp.errors import StorageFailed


@pytest.fixture
def objects(tmp_path):
    for name in ("objects", "partial"):
        (tmp_path / name).mkdir()
    return Objects(tmp_path / "objects", tmp_path / "partial")


def put(objects, data):
    digest = hashlib.sha256(data).hexdigest()
    objects.put(digest, data)
    return digest


def test_what_was_put_is_there_for_its_owner_only(objects, tmp_path):
    digest = put(objects, b"words")
    objects.settle()
    assert objects.sizes() == {digest: 5}
    assert objects.read(digest) == b"words"
    path = tmp_path / "objects" / digest[:2] / digest[2:]
    assert path.stat().st_mode & 0o777 == 0o600
    assert list((tmp_path / "partial").iterdir()) == []


def test_a_piece_that_is_changed_cut_or_gone_is_none(objects, tmp_path):
    digest = put(objects, b"words")
    path = tmp_path / "objects" / digest[:2] / digest[2:]
    path.write_bytes(b"wordy")
    assert objects.read(digest) is None
    path.write_bytes(b"word")
    assert objects.read(digest) is None
    assert objects.sizes() == {digest: 4}
    put(objects, b"words")
    assert objects.read(digest) == b"words"
    objects.remove(digest)
    assert objects.read(digest) is None
    objects.remove(digest)


def test_what_is_no_piece_is_not_listed(objects, tmp_path):
    (tmp_path / "objects" / "ab").mkdir()
    (tmp_path / "objects" / "ab" / "notes.txt").write_text("mine")
    (tmp_path / "objects" / "cd").write_text("mine")
    (tmp_path / "objects" / "cd").unlink()
    assert objects.sizes() == {}


def test_a_disk_that_gives_back_something_else_is_found_out(objects, tmp_path, monkeypatch):
    real = os.write

    def forgetful(descriptor, data):
        return real(descriptor, bytes(len(data)))

    monkeypatch.setattr(os, "write", forgetful)
    with pytest.raises(StorageFailed, match=r"does not return.*failing"):
        put(objects, b"words")
    assert objects.sizes() == {}
