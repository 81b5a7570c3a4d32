"""A PDF without its end."""

import re

import pytest

from tests.documents.parsing.made import pdf, said
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.pdf_rescue import with_another_end
from webapp.errors import Unreadable

PROSE = "These are enough letters for a page of text."


def read(tmp_path, change):
    path = pdf(tmp_path / "0", [said(PROSE)])
    path.write_bytes(change(path.read_bytes()))
    return parse(Source(path, "x.pdf"))


@pytest.mark.parametrize(
    ("change", "notes"),
    [
        (lambda data: re.sub(rb"startxref\n\d+", b"startxref\n99999", data), 0),
        (lambda data: data[: data.index(b"xref\n0")] + data[data.index(b"trailer") :], 0),
        (lambda data: data[: data.index(b"startxref")], 0),
        (lambda data: data[: data.index(b"xref\n0")], 1),
    ],
)
def test_what_says_where_everything_is_may_be_wrong_or_missing(tmp_path, change, notes):
    document = read(tmp_path, change)
    assert document.text == PROSE
    assert len(document.notes) == notes


@pytest.mark.parametrize("until", [b"endstream", b"/Catalog", b"2 0 obj"])
def test_where_no_text_is_left_it_is_damaged(tmp_path, until):
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, lambda data: data[: data.index(until)])
    assert refused.value.code == "damaged"


def test_without_a_root_there_is_nothing_to_mend():
    assert with_another_end(b"%PDF-1.4\n1 0 obj << /Type /Page >> endobj") is None
