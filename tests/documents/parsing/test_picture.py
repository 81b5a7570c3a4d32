import pytest

from tests.documents.parsing.made import png
from webapp.documents.parsing import ocr
from webapp.documents.parsing.choosing import chosen, parse
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.picture import PictureParser, size_of
from webapp.errors import Unreadable


def refused(path):
    with pytest.raises(Unreadable) as error:
        parse(Source(path, "x.png"))
    return error.value.code


@pytest.fixture
def machine(ocr_of_the_machine):
    return ocr_of_the_machine


def test_a_picture_is_read_by_the_ocr_of_the_machine(tmp_path, machine):
    machine("words in a picture")
    document = parse(Source(png(tmp_path / "0"), "x.png"))
    assert document.text == "words in a picture"
    assert document.notes == ("Read by OCR.",)


def test_a_picture_without_words_or_without_ocr_has_no_text(tmp_path, machine):
    machine(None)
    assert not ocr.is_available()
    assert refused(png(tmp_path / "0")) == "no_text"
    machine(" ")
    assert refused(png(tmp_path / "0")) == "no_text"


def test_a_picture_that_would_fill_the_memory_is_refused(tmp_path, machine):
    machine("never asked")
    assert refused(png(tmp_path / "0", claims=(100_000, 100_000))) == "too_large"
    assert refused(png(tmp_path / "0", claims=(0, 5))) == "damaged"


def test_the_size_of_a_jpeg_stands_behind_its_other_segments(tmp_path):
    data = bytes.fromhex("ffd8 ffe0 0004 0000 ffc4 0002 ffc2 000b 08 0010 0020 01 00 00 00")
    assert size_of(data) == (32, 16)
    assert size_of(data[:12]) == size_of(b"\xff\xd8\xff\xe0\0\0") == (0, 0)
    path = tmp_path / "0"
    path.write_bytes(data)
    assert type(chosen(Source(path, "x"))) is PictureParser
