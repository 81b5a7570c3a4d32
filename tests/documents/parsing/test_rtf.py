import pytest

from tests.documents.parsing.made import SAMPLES
from tests.documents.parsing.parser_contract import ParserContract, ending
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.rtf import RtfParser


class TestRtf(ParserContract):
    parser = RtfParser
    expected = ("Dear Ms Novak", "Café opens at nine", "中文 means Chinese.")

    @pytest.fixture
    def sample(self):
        return SAMPLES / "letter.rtf", "letter.rtf"


def read(tmp_path, text):
    path = tmp_path / "0"
    path.write_bytes(text)
    return parse(Source(path, "x.doc")).text


def test_a_rtf_under_the_name_of_a_word_file_is_read(tmp_path):
    assert read(tmp_path, rb"{\rtf1\ansi plain\par words}") == "plain\nwords"


def test_cells_of_a_table_stand_apart(tmp_path):
    row = rb"{\rtf1 \trowd\cellx1\cellx2 a\cell b\cell\row after\par}"
    assert read(tmp_path, row) == "a | b\nafter"


def test_codepages_and_pictures(tmp_path):
    assert read(tmp_path, rb"{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8}") == "При"
    assert read(tmp_path, rb"{\rtf1 a{\pict\pngblip 89504e470d0a}b}") == "ab"


def test_a_rtf_without_words_has_no_text(tmp_path):
    path = tmp_path / "0"
    path.write_bytes(rb"{\rtf1\ansi }")
    assert ending(path, "x.rtf")["code"] == "no_text"


def test_emoji_in_two_halves_and_bytes_without_escapes(tmp_path):
    assert read(tmp_path, rb"{\rtf1\ansi\uc1 \u-10179?\u-8694? end}") == "😊 end"
    raw = "关于仓库".encode("gbk")
    assert read(tmp_path, rb"{\rtf1\ansi\ansicpg936 " + raw + b"}") == "关于仓库"
    picture = rb"{\rtf1 a{\pict\bin4 " + b"\xff\xfe}}" + b"}b}"
    assert read(tmp_path, picture) == "ab"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (rb"{\rtf1 Seen{\v hidden \'e4\u20013?} and{\deleted gone} here}", "Seen and here"),
        (rb"{\rtf1 a\v b\v0  c\v d\plain  e}", "a c e"),
        (rb"{\rtf1 Body{\footnote A note} goes on}", "Body [A note] goes on"),
        (rb"{\rtf1{\header Contract 4711}Body}", "Contract 4711\nBody"),
        (rb"{\rtf1 \viewkind4 {\v{\b x}y}z}", "z"),
    ],
)
def test_what_is_hidden_is_gone_and_what_stands_aside_is_there(tmp_path, text, words):
    assert read(tmp_path, text) == words
