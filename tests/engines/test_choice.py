"""From a setting to a model file."""

import pytest

from webapp.engines.catalog import load_catalog
from webapp.engines.choice import choose
from webapp.engines.shelf import Shelf
from webapp.errors import NotFound

CATALOG = load_catalog()
DEFAULT = CATALOG.chat_default(None, small=True)


def test_nothing_chosen_means_the_default_whether_its_file_is_there_or_not(tmp_path):
    choice = choose("", DEFAULT, CATALOG, Shelf(tmp_path))
    assert (choice.entry, choice.path) == (DEFAULT, tmp_path / DEFAULT.file)


def test_a_catalogue_name_or_its_file_name_means_that_model(tmp_path):
    other = CATALOG.chat_default(None, small=False)
    for name in (other.name, other.file):
        assert choose(name, DEFAULT, CATALOG, Shelf(tmp_path)).entry == other


def test_a_file_dropped_into_the_folder_is_found_by_its_name_with_or_without_ending(tmp_path):
    (tmp_path / "mine.gguf").write_bytes(b"GGUF")
    for name in ("mine", "mine.gguf", str(tmp_path / "mine.gguf")):
        choice = choose(name, DEFAULT, CATALOG, Shelf(tmp_path))
        assert (choice.entry, choice.path) == (None, tmp_path / "mine.gguf")


def test_a_name_that_is_nothing_is_refused_with_where_it_was_looked_for(tmp_path):
    with pytest.raises(NotFound, match="no model “nothing”"):
        choose("nothing", DEFAULT, CATALOG, Shelf(tmp_path))
