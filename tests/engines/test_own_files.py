"""A file from elsewhere on this machine becomes a model here, without being doubled."""

import os

import pytest

from tests.engines.wheelhouse import tiny_gguf
from webapp.engines.catalog import Catalog
from webapp.engines.own_files import taken_in, target_of
from webapp.engines.shelf import Shelf
from webapp.errors import BadInput, Conflict, ModelFileMissing, NotFound

EMPTY = Catalog(())


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path / "models")


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "elsewhere" / "My model.GGUF"
    path.parent.mkdir()
    path.write_bytes(tiny_gguf())
    return path


def test_it_is_linked_and_removing_it_leaves_the_file(shelf, own):
    assert taken_in(shelf, f" {own} ") == target_of(shelf, str(own))
    item = shelf.item(EMPTY, "My model")
    assert (item.state, item.role) == ("present", "chat")
    assert item.path.samefile(own)
    shelf.remove(item)
    assert own.is_file()
    assert shelf.items(EMPTY) == []


def test_from_another_disk_a_symbolic_link_does(shelf, own, monkeypatch):
    def refuse(*_):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    assert taken_in(shelf, str(own)).is_symlink()
    shelf.remove(shelf.item(EMPTY, "My model"))
    assert own.is_file()


def test_a_home_folder_is_understood(shelf, own, monkeypatch):
    monkeypatch.setenv("HOME", str(own.parent))
    assert taken_in(shelf, "~/My model.GGUF").samefile(own)


def test_a_name_that_is_taken_is_refused(shelf, own):
    taken_in(shelf, str(own))
    with pytest.raises(Conflict, match="already"):
        taken_in(shelf, str(own))


@pytest.mark.parametrize("typed", ["", "  ", "a\0b", "models/x.gguf", "x\ny.gguf"])
def test_what_is_no_path_is_refused(shelf, typed):
    with pytest.raises(BadInput):
        taken_in(shelf, typed)


def test_what_is_no_model_is_refused_in_words(shelf, own):
    with pytest.raises(NotFound):
        taken_in(shelf, str(own.parent / "gone.gguf"))
    with pytest.raises(NotFound):
        taken_in(shelf, str(own.parent))
    text = own.parent / "notes.txt"
    text.write_text("words")
    with pytest.raises(BadInput, match="not a GGUF"):
        taken_in(shelf, str(text))
    broken = own.parent / "broken.gguf"
    broken.write_bytes(own.read_bytes()[:1000])
    with pytest.raises(ModelFileMissing):
        taken_in(shelf, str(broken))
    adapter = own.parent / "adapter.gguf"
    adapter.write_bytes(tiny_gguf(general__type="adapter"))
    with pytest.raises(BadInput, match="part for other models"):
        taken_in(shelf, str(adapter))
    assert shelf.items(EMPTY) == []
