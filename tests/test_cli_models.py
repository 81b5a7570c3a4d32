"""`strata models` as a person types it."""

import io

import pytest
from click.testing import CliRunner

from tests.engines.wheelhouse import entry_for, tiny_gguf, wheelhouse
from webapp.cli_models import fetch_with_progress, models
from webapp.engines.catalog import load_catalog
from webapp.engines.shelf import Shelf
from webapp.errors import BadInput, NotFound

__all__ = ["wheelhouse"]
DATA = tiny_gguf()


@pytest.fixture
def strata(tmp_path, monkeypatch):
    monkeypatch.setenv("STRATA_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("STRATA_DATA", str(tmp_path / "data"))
    (tmp_path / "models").mkdir()
    return lambda *words: CliRunner().invoke(models, words)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_list_names_every_model_with_its_size_and_the_folder(strata, tmp_path):
    (tmp_path / "models" / "mine.gguf").write_bytes(DATA)
    (tmp_path / "models" / "odd\udcff\x1b[31m.gguf").write_bytes(b"no model")
    shown = strata("list")
    assert shown.exit_code == 0
    for entry in load_catalog().entries:
        assert entry.name in shown.output
    assert "491.4 MB  not here" in shown.output
    assert "mine" in shown.output and "here" in shown.output
    assert "not a whole GGUF" in shown.output
    assert "\x1b" not in shown.output
    assert str(tmp_path / "models") in shown.output


def test_a_folder_can_be_named_for_one_command(strata, tmp_path):
    assert (
        str(tmp_path / "elsewhere")
        in strata("--models", str(tmp_path / "elsewhere"), "list").output
    )


@pytest.mark.parametrize(
    ("name", "error", "way_out"),
    [
        ("gpt-9", NotFound, "strata models list"),
        ("owner/model.gguf", BadInput, "owner/repository/file.gguf"),
    ],
)
def test_a_name_of_nothing_fails_with_the_way_out(strata, name, error, way_out):
    failed = strata("add", name)
    assert isinstance(failed.exception, error)
    assert way_out in failed.exception.do


def test_removing_says_what_went(strata, tmp_path):
    (tmp_path / "models" / "mine.gguf").write_bytes(DATA)
    assert "Removed mine (" in strata("remove", "mine").output
    assert list((tmp_path / "models").glob("mine*")) == []
    assert "not here" in strata("remove", "all-minilm-l6-v2").output


def test_verifying_names_good_and_damaged_and_fails_for_these(strata, tmp_path):
    assert strata("verify").output == ""
    (tmp_path / "models" / "mine.gguf").write_bytes(DATA)
    assert "mine: looks whole" in strata("verify").output
    (tmp_path / "models" / "mine.gguf").write_bytes(DATA[:-1])
    failed = strata("verify", "mine")
    assert (failed.exit_code, "mine: damaged" in failed.output) == (1, True)


@pytest.mark.parametrize("out", [io.StringIO, Terminal])
def test_fetching_shows_what_goes_on(wheelhouse, tmp_path, out):
    out, shelf = out(), Shelf(tmp_path / "models")
    entry = entry_for(DATA, wheelhouse.add_cut(DATA, 1))
    assert fetch_with_progress(shelf, entry, out).read_bytes() == DATA
    assert "Tiny: " in out.getvalue() and "checking" in out.getvalue()
    assert ("\r" in out.getvalue()) == out.isatty()
    fetch_with_progress(shelf, entry, out)
    assert out.getvalue().endswith("Tiny: here already.\n")
