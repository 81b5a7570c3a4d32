from dataclasses import replace

import pytest

from tests.engines.wheelhouse import tiny_gguf
from webapp.engines.catalog import load_catalog
from webapp.engines.models import Models
from webapp.settings import Settings
from webapp.web import models_shown
from webapp.web.models_shown import board, in_use


@pytest.fixture
def models(tmp_path, clock):
    models = Models.over(tmp_path / "models", load_catalog(), tmp_path / "cache", clock)
    models.shelf.folder.mkdir()
    yield models
    models.close()


def shown(models, **settings):
    now = replace(Settings(), **settings)
    return board(models, now, now, can_load=True)


def test_models_stand_by_what_they_do(models):
    (models.shelf.folder / "own.gguf").write_bytes(tiny_gguf())
    (models.shelf.folder / "adapter.gguf").write_bytes(tiny_gguf(general__type="adapter"))
    groups = shown(models).groups
    assert list(groups) == ["chat", "embedding", ""]
    assert [row.item.name for row in groups["chat"]][-1] == "own"
    assert [row.item.name for row in groups[""]] == ["adapter"]
    assert not shown(models).busy


def test_a_model_larger_than_the_free_memory_is_told_unless_it_runs(models, monkeypatch):
    monkeypatch.setattr(models_shown, "available_bytes", lambda: 1_000_000)
    rows = shown(models, small=True).groups["chat"]
    assert [row.too_large for row in rows] == [True, False]
    assert [row.used for row in rows] == [False, True]
    assert rows[0].share == 1.0
    monkeypatch.setattr(models_shown, "available_bytes", lambda: None)
    assert not any(row.too_large or row.share for row in shown(models).groups["chat"])


def test_what_answers_elsewhere_is_no_file_here(models):
    assert in_use(models, replace(Settings(), engine="openai_http")) == set()
    assert len(in_use(models, Settings())) == 2
    assert len(in_use(models, replace(Settings(), model="nowhere"))) == 1


def test_a_file_says_how_large_it_is_and_how_its_numbers_are_stored(models):
    (models.shelf.folder / "own.gguf").write_bytes(tiny_gguf(tensors=300, file_type=15))
    (models.shelf.folder / "small.gguf").write_bytes(tiny_gguf())
    made = {row.item.name: row.made for row in shown(models).groups["chat"]}
    assert (made["own"], made["small"]) == ("1 million parameters · Q4_K_M", "")
