import pytest

from tests.documents.parsing.made import CASES, SAMPLES
from tests.documents.parsing.parser_contract import ParserContract
from webapp.documents.document import describe
from webapp.documents.parsing.choosing import chosen, parse
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.plain import PlainParser
from webapp.errors import Unreadable


class TestPlain(ParserContract):
    parser = PlainParser
    expected = ("Count words.", "class Counter", "most_common(10)")

    @pytest.fixture
    def sample(self):
        return SAMPLES / "program.py.txt", "program.py"


def read(path, name="x.txt"):
    return parse(Source(path, name))


def test_line_numbers_are_those_of_the_file(tmp_path):
    path = tmp_path / "0"
    path.write_bytes(b"one\r\n\r\n\r\n\r\n\r\nsix\rseven\n\neight?\n")
    document = read(path)
    assert describe(document.within(document.text.index("six"), len(document.text))) == "lines 6–9"


def test_a_line_of_eighty_thousand_characters_and_zero_bytes_are_read():
    document = read(CASES / "nul.log", "nul.log")
    for words in ("start of log", "sensor=7", "end of log"):
        assert words in document.text
    assert "\0" not in document.text


def test_white_space_alone_is_an_empty_file(tmp_path):
    for data in (b" \n\t\r\n", b"\0" * 9_000, "\ufeff\u200b\n".encode()):
        path = tmp_path / "0"
        path.write_bytes(data)
        with pytest.raises(Unreadable) as refused:
            read(path)
        assert refused.value.code == "empty"


@pytest.mark.parametrize(
    "data",
    [b"\x1f\x8b\x08" + b"a" * 99, b"7z\xbc\xaf'\x1c", b"SQLite format 3\0" + b"text " * 99],
)
def test_archives_programs_and_databases_are_no_text(tmp_path, data):
    path = tmp_path / "0"
    path.write_bytes(data)
    with pytest.raises(Unreadable) as refused:
        chosen(Source(path, "notes.txt"))
    assert refused.value.code == "unsupported"


def test_emoji_and_marks_are_kept_whole():
    text = read(SAMPLES / "emoji.txt").text
    assert "👩\u200d👩\u200d👧\u200d👦🇨🇳🇫🇷" in text
    assert len(text) > 2_000


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.py", "# -*- coding: koi8-r -*-\nx = 'Да'".encode("koi8-r"), "x = 'Да'"),
        (
            "a.xml",
            '<?xml version="1.0" encoding="windows-1251"?><a>Да</a>'.encode("cp1251"),
            ">Да<",
        ),
        (
            "a.svg",
            b"<a>K&#246;ln &amp; B&#xFC;hl &#60; &#9999999;</a>",
            "Köln &amp; Bühl &#60; &#9",
        ),
        ("a.txt", b"K&#246;ln", "K&#246;ln"),
        (
            "a.svg",
            b'<i href="data:image/png;base64,' + b"iVBO" * 99 + b'"/> end',
            'base64,…"/> end',
        ),
    ],
)
def test_what_a_text_says_in_its_own_way_is_found(tmp_path, name, data, words):
    path = tmp_path / "0"
    path.write_bytes(data)
    assert words in read(path, name).text
