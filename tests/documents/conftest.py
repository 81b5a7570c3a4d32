"""Real parts for tests of search: tables on a real disk, the real embedding models."""

import os
import sys

import pytest

from tests.documents.real import open_model
from tests.documents.searching import text_vectors
from webapp.documents.background import Background
from webapp.documents.parsing import ocr
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


@pytest.fixture
def ocr_of_the_machine(tmp_path, monkeypatch):
    """Puts a program named tesseract first on the machine's path that says the given words for
    any picture; None takes it away."""

    def set_up(words, *, languages="deu\neng\nosd\n", before=""):
        folder = tmp_path / "programs"
        folder.mkdir(exist_ok=True)
        program = folder / "tesseract"
        program.unlink(missing_ok=True)
        if words is not None:
            program.write_text(
                f"#!{sys.executable}\nimport sys\n{before}\n"
                f"if '--list-langs' in sys.argv: print('Languages:\\n' + {languages!r})\n"
                f"else: sys.stdin.buffer.read(); print({words!r}, sys.argv[1:])"
                if words == "arguments"
                else f"#!{sys.executable}\nimport sys\n{before}\n"
                f"if '--list-langs' in sys.argv: print('Languages:\\n' + {languages!r})\n"
                f"else: sys.stdin.buffer.read(); print({words!r})"
            )
            program.chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))
        forget()

    def forget():
        ocr._program.cache_clear()
        ocr._languages.cache_clear()

    yield set_up
    forget()
