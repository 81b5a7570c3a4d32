import json

import pytest

from tests.documents.parsing.parser_contract import ParserContract
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.notebook import NotebookParser
from webapp.documents.parsing.parser import Source

PICTURE = "iVBORw0KGgo" * 500
CELLS = [
    {"cell_type": "markdown", "source": ["# Results\n", "The mean is **5**."]},
    {
        "cell_type": "code",
        "source": ['x = "a"\n', "print(x)"],
        "outputs": [
            {"output_type": "stream", "text": ["hello\n"]},
            {
                "output_type": "display_data",
                "data": {"image/png": PICTURE, "text/plain": "a figure"},
            },
            {"output_type": "error", "traceback": ["\x1b[31mValueError\x1b[0m: bad"]},
        ],
    },
    {"cell_type": "raw", "source": "```\n# no heading\n```"},
]


class TestNotebook(ParserContract):
    parser = NotebookParser
    expected = ("Results", "The mean", 'x = "a"\nprint(x)', "hello", "a figure", "ValueError: bad")

    @pytest.fixture
    def sample(self, tmp_path):
        path = tmp_path / "0"
        path.write_text(json.dumps({"cells": CELLS, "nbformat": 4}))
        return path, "a.ipynb"


def read(tmp_path, book):
    path = tmp_path / "1"
    path.write_text(book if isinstance(book, str) else json.dumps(book))
    return parse(Source(path, "b.ipynb"))


def test_pictures_are_left_out_and_headings_are_sections(tmp_path):
    document = read(tmp_path, {"cells": CELLS})
    assert "iVBOR" not in document.text
    assert document.title == "Results"
    assert [place.label for place in document.places] == ["Results"]


def test_the_older_form_is_read(tmp_path):
    cell = {"cell_type": "code", "input": "1 + 1", "outputs": [{"text": "2"}]}
    assert read(tmp_path, {"worksheets": [{"cells": [cell]}]}).text == "1 + 1\n\n2"


@pytest.mark.parametrize("book", ['{"cells": [', {"cells": 3}, [1], {"cells": [7, None]}])
def test_what_is_no_notebook_is_read_as_its_lines(tmp_path, book):
    assert dict(read(tmp_path, book).details)["format"] == "JSON"
