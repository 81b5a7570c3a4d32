"""Bringing in Jan's threads from the page."""

import shutil
from pathlib import Path

import pytest

from webapp.web.importing import jan_folder

THREADS = Path(__file__).resolve().parent.parent / "data" / "threads"


@pytest.fixture
def jan(tmp_path):
    folder = tmp_path / "jan"
    for name in ("switch-back", "detached-answers", "half-list-broken"):
        shutil.copytree(THREADS / name, folder / "threads" / name)
    return folder


def files_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_looking_counts_and_brings_in_nothing(page, jan):
    html = page.send("/import", folder=str(jan), step="look").text
    assert "would come in" in html
    assert "Bring it in" in html
    assert "Harbour walk" not in page.get("/").text


def test_bringing_in_shows_the_threads_changes_nothing_there_and_adds_nothing_twice(page, jan):
    before = files_of(jan)
    html = page.send("/import", folder=str(jan), step="bring").text
    assert "came in" in html
    assert "Harbour walk" in page.get("/").text
    assert "Begin at the lighthouse." in page.get("/threads/switch-back").text
    again = page.send("/import", folder=str(jan), step="bring").text
    assert "0 threads with 0 messages came in" in again
    assert files_of(jan) == before


@pytest.mark.parametrize("folder", ["", "  ", "/nowhere/at/all", "x\0y"])
def test_a_folder_that_is_none_is_told_in_a_sentence(page, folder):
    response = page.send("/import", folder=folder, step="look")
    assert response.status_code in (404, 422)
    assert "Traceback" not in response.text


def test_the_page_names_the_folder_where_jan_usually_is(page, monkeypatch, tmp_path):
    monkeypatch.delenv("APPDATA", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert jan_folder() is None
    usual = tmp_path / ".config" / "Jan" / "data"
    (usual / "threads").mkdir(parents=True)
    assert jan_folder() == usual
    assert str(usual) in page.get("/import").text
