"""Shared by the tests of parsers."""

import sys

import pytest

from webapp.documents.parsing import ocr


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
