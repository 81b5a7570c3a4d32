"""The catalogue that comes with Strata, and how one is chosen from it."""

import tomllib

import pytest

from webapp.documents.embedding import EmbeddingModel
from webapp.engines.catalog import (
    STARTER_CATALOG,
    HubSource,
    WheelSource,
    load_catalog,
)
from webapp.engines.conversion import CONVERTERS
from webapp.errors import NotFound

CATALOG = load_catalog()
GIB = 1 << 30


def test_names_and_files_are_each_used_once():
    names = [word for entry in CATALOG.entries for word in {entry.name, entry.file}]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("entry", CATALOG.entries, ids=lambda entry: entry.name)
def test_an_entry_says_all_that_is_needed(entry):
    assert entry.download.sources
    assert {len(entry.sha256), len(entry.download.sha256)} == {64}
    assert entry.file.endswith(".gguf")
    assert (entry.embedding is not None) == (entry.role == "embedding")
    assert entry.converter in ("", *CONVERTERS)
    assert (entry.download.file == entry.file) == (not entry.converter)


def test_chat_models_are_asked_of_the_hub_first_and_then_of_the_packages():
    for entry in CATALOG.entries:
        if entry.role == "chat":
            assert [type(source) for source in entry.download.sources] == [HubSource, WheelSource]


def test_the_small_chat_model_is_for_little_memory_and_for_those_who_ask():
    large, small = CATALOG.entry("qwen2.5-coder-1.5b"), CATALOG.entry("qwen2.5-coder-0.5b")
    assert CATALOG.chat_default(8 * GIB, small=False) == large
    assert CATALOG.chat_default(3 * GIB, small=False) == large
    assert CATALOG.chat_default(3 * GIB - 1, small=False) == small
    assert CATALOG.chat_default(8 * GIB, small=True) == small
    assert CATALOG.chat_default(None, small=False) == large


def test_a_fresh_machine_fetches_one_chat_model_and_one_embedder():
    assert [entry.role for entry in CATALOG.starters(None, small=True)] == ["chat", "embedding"]
    assert CATALOG.embedding_default().name == "multilingual-e5-small"


def test_a_model_is_found_by_name_and_by_file():
    for entry in CATALOG.entries:
        assert CATALOG.entry(entry.name) is CATALOG.entry(entry.file) is entry


def test_an_unknown_name_is_answered_with_the_way_to_the_known_ones():
    with pytest.raises(NotFound, match=r"no model named 'gpt-9'.*strata models list"):
        CATALOG.entry("gpt-9")


def scale_of(name):
    known = CATALOG.entry(name).embedding
    return EmbeddingModel(name, known.dimension, known.a, known.b)


def test_scores_mean_the_same_for_every_embedder():
    e5 = scale_of("multilingual-e5-small")
    assert e5.score(0.825) == pytest.approx(0.3, abs=0.01)
    assert e5.score(0.885) == pytest.approx(0.65, abs=0.01)
    assert (e5.score(0.5), e5.score(0.99)) == (0, 1)
    minilm = scale_of("all-minilm-l6-v2")
    assert minilm.score(0.3) == pytest.approx(0.3)


def test_packages_are_numbered_from_one():
    source = WheelSource("model-part{n}", "1.0", "part{n}/data/part{n:02d}.bin", 12)
    assert source.requirement(1) == "model-part1==1.0"
    assert source.member_of(12) == "part12/data/part12.bin"


@pytest.mark.parametrize("wrong", ['sise = "x"', 'role2 = "chat"'])
def test_a_word_the_catalogue_does_not_know_is_an_error(tmp_path, wrong):
    text = STARTER_CATALOG.read_text().replace('name = "qwen2.5-coder-1.5b"', wrong, 1)
    (tmp_path / "catalog.toml").write_text(text)
    with pytest.raises(TypeError):
        load_catalog(tmp_path / "catalog.toml")


def test_a_catalogue_that_is_not_toml_is_an_error(tmp_path):
    (tmp_path / "catalog.toml").write_text("[[models")
    with pytest.raises(tomllib.TOMLDecodeError):
        load_catalog(tmp_path / "catalog.toml")
