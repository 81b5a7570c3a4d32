import gzip
import io
import tarfile

import pytest

from tests.documents.parsing.made import SAMPLES, docx, ole, paragraph, zipped
from tests.documents.parsing.parser_contract import ending
from webapp.documents.parsing import PARSERS
from webapp.documents.parsing.choosing import chosen, parse, promised, refuse_by_size
from webapp.documents.parsing.parser import Source
from webapp.errors import Unreadable


def test_every_ending_and_every_name_of_a_format_is_there_once():
    endings = [suffix for parser in PARSERS for suffix in parser.suffixes]
    assert len(endings) == len(set(endings))
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in endings)
    assert len({parser.name for parser in PARSERS}) == len(PARSERS)


def test_a_wrong_name_does_not_hide_what_a_file_is(tmp_path):
    path = docx(tmp_path / "0", paragraph("words"))
    for name in ("x.pdf", "x.txt", "x.xlsx", "x", "x.docx.exe", "x.csv"):
        assert parse(Source(path, name)).text == "words"


def test_a_text_under_the_name_of_something_else_is_read_and_said(tmp_path):
    path = tmp_path / "0"
    path.write_text("just words")
    document = parse(Source(path, "report.pdf"))
    assert document.text == "just words"
    assert document.notes == ("Its name ends in .pdf, but it is text and was read as text.",)
    assert parse(Source(path, "report.txt")).notes == ()


def test_no_text_under_the_name_of_a_known_format_is_damaged(tmp_path):
    path = tmp_path / "0"
    path.write_bytes(bytes(range(256)) * 4)
    assert ending(path, "x.docx")["code"] == "damaged"
    assert ending(path, "x.dat")["code"] == "unsupported"
    assert promised(Source(path, "x.docx")).name == "Word"
    assert promised(Source(path, "x.md")) is None


def test_archives_that_are_no_documents_are_not_supported(tmp_path):
    for members in ({"a.txt": b"x"}, {}, {"inner.zip": b"PK\x03\x04"}):
        path = zipped(tmp_path / "0", members)
        with pytest.raises(Unreadable) as refused:
            chosen(Source(path, "x.zip"))
        assert refused.value.code == "unsupported"


def test_an_old_word_file_is_told_from_a_locked_one(tmp_path):
    path = tmp_path / "0"
    path.write_bytes(ole("WordDocument"))
    assert ".docx" in ending(path, "x.doc")["do"]
    assert ending(SAMPLES / "tika-password.docx", "x.docx")["code"] == "password"


def test_the_size_is_looked_at_first():
    for size, code in ((0, "empty"), (11, "too_large")):
        with pytest.raises(Unreadable) as refused:
            refuse_by_size(size, 10)
        assert refused.value.code == code
    refuse_by_size(10, 10)


def test_an_archive_of_any_kind_is_said_to_be_one(tmp_path):
    tape, packed = io.BytesIO(), zipped(tmp_path / "z", {"a.txt": "x"}).read_bytes()
    with tarfile.open(fileobj=tape, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("x.txt"))
    path = tmp_path / "0"
    for data in (
        tape.getvalue(),
        gzip.compress(b"words"),
        packed,
        b"Rar!\x1a\x07\0",
        b"7z\xbc\xaf",
    ):
        path.write_bytes(data)
        for name in ("x.docx", "x.zip", "x"):
            assert "archive" in ending(path, name)["what"], (data[:4], name)


def test_half_of_an_old_workbook_is_damaged(tmp_path):
    data = (SAMPLES / "stock.xls").read_bytes()
    path = tmp_path / "0"
    path.write_bytes(data[: len(data) // 2])
    assert ending(path, "x.xls")["code"] == "damaged"
