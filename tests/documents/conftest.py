"""Real parts for tests of search: tables on a real disk, the real embedding models."""

import os

import pytest

from tests.documents.real import open_model
from tests.documents.searching import text_vectors
from webapp.documents.background import Background
from webapp.documents.tables import PassageTables
from webapp.engines.llama_link import SPINS

os.environ.setdefault("GOMP_SPINCOUNT", SPINS)


@pytest.fixture
def background():
    background = Background()
    yield background
    background.close()


@pytest.fixture
def tables(tmp_path, background):
    return PassageTables(tmp_path / "lance", background)


@pytest.fixture
def vectors():
    return text_vectors()


@pytest.fixture(scope="session")
def multilingual():
    """Vectors by multilingual-e5-small."""
    engine, vectors = open_model("multilingual-e5-small")
    yield vectors
    engine.close()


@pytest.fixture(scope="session")
def english():
    """Vectors by MiniLM, which reads English only."""
    engine, vectors = open_model("all-minilm-l6-v2")
    yield vectors
    engine.close()
