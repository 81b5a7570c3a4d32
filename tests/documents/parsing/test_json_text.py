import json

import pytest

from tests.documents.parsing.made import SAMPLES
from tests.documents.parsing.parser_contract import ParserContract
from webapp.documents.document import describe
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.json_text import JsonParser
from webapp.documents.parsing.parser import Source


class TestJson(ParserContract):
    parser = JsonParser
    expected = ('"name": "sensor"', '"t": 39', "说明", "温度")

    @pytest.fixture
    def sample(self):
        return SAMPLES / "data.json", "data.json"


class TestJsonLines(ParserContract):
    parser = JsonParser
    expected = ('"door": 0', '"id": 2')

    @pytest.fixture
    def sample(self):
        return SAMPLES / "events.jsonl", "events.jsonl"


def read(tmp_path, text):
    path = tmp_path / "0"
    path.write_text(text, "utf-8")
    return parse(Source(path, "x.json"))


def test_escaped_letters_are_found_as_letters(tmp_path):
    value = {"名": 'é "quoted" \\ 😀', "end": "\u0000\n"}
    text = read(tmp_path, json.dumps(value)).text
    assert "名" in text and "é" in text and "😀" in text
    assert json.loads(text) == value


def test_a_backslash_before_a_u_is_not_an_escape(tmp_path):
    assert read(tmp_path, r'"\\u4e2d \u4e2d \u0022 \ud800 \u12"').text == (
        r'"\\u4e2d 中 \u0022 \ud800 \u12"'
    )


def test_json_that_is_broken_is_still_text_with_its_lines(tmp_path):
    document = read(tmp_path, '{"a": 1,\n "b": [\n')
    assert describe(document.within(9, 12)) == "line 2"
