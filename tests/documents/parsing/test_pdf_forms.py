"""What somebody typed onto the pages of a PDF."""

import pytest

from tests.documents.parsing.made import pdf, said
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.parser import Source

PROSE = "These are enough letters for a page of text."
AT = "/Rect [100 600 300 620]"
FIELD = f"<< /Type /Annot /Subtype /Widget /FT /Tx {AT}"


def read(tmp_path, *marks, page=None):
    path = pdf(tmp_path / "0", [said(PROSE) if page is None else page], marks=marks)
    return parse(Source(path, "x.pdf")).text.removeprefix(PROSE).strip("\n")


@pytest.mark.parametrize(
    ("mark", "line"),
    [
        (f"{FIELD} /T (Name) /V (Ada Lovelace) >>", "Name: Ada Lovelace"),
        (f"{FIELD} /T (f1_01[0]) /TU (Your name) /V (Ada) >>", "Your name: Ada"),
        (f"{FIELD} /T (Name) >>", ""),
        (f"{FIELD} /T (Name) /V (Ada) /F 2 >>", ""),
        (
            f"<< /Type /Annot /Subtype /Widget /FT /Btn {AT} /T (Agreed) /V /Yes /AS /Yes >>",
            "Agreed: Yes",
        ),
        (f"<< /Type /Annot /Subtype /Widget /FT /Btn {AT} /T (Agreed) /V /Off /AS /Off >>", ""),
        (
            f"<< /Type /Annot /Subtype /Widget /FT /Ch {AT} /T (City) /V (Porto) /Opt [(Porto)] >>",
            "City: Porto",
        ),
        (f"<< /Type /Annot /Subtype /FreeText {AT} /Contents (Laid over it) >>", "Laid over it"),
        (f"<< /Type /Annot /Subtype /Text {AT} /Contents (A sticky note) >>", ""),
    ],
)
def test_what_is_filled_in_is_read_and_nothing_else(tmp_path, mark, line):
    assert read(tmp_path, mark) == line


def test_a_page_that_holds_only_what_was_filled_in_is_no_scan(tmp_path):
    assert (
        read(tmp_path, f"{FIELD} /T (Name) /V (Ada Lovelace) >>", page="") == "Name: Ada Lovelace"
    )
