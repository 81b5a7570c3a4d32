import pytest

from tests.documents.parsing.made import SAMPLES
from tests.documents.parsing.parser_contract import ParserContract
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.markdown_text import MarkdownParser
from webapp.documents.parsing.parser import Source


class TestMarkdown(ParserContract):
    parser = MarkdownParser
    expected = ("Lab notes", "The balance drifts 0.3 mg per hour.", "| Mon | 0.2 |", "中文小节")

    @pytest.fixture
    def sample(self):
        return SAMPLES / "notes.md", "notes.md"


@pytest.fixture
def sections(tmp_path):
    def of(text):
        path = tmp_path / "0"
        path.write_text(text, "utf-8")
        document = parse(Source(path, "n.md"))
        headings = [place for place in document.places if place.kind == "heading"]
        return [(p.label, p.number, document.text[p.start : p.end][:6]) for p in headings]

    return of


def test_headings_are_sections(sections):
    assert sections("# One\ntext\n\n## Two ##\n\nThree\n=====\n\nFour\nfive\n---\n") == [
        ("One", 1, "# One\n"),
        ("Two", 2, "## Two"),
        ("Three", 1, "Three\n"),
        ("five", 2, "five\n-"),
    ]


def test_what_looks_like_a_heading_in_code_or_front_matter_is_none(sections):
    assert sections(
        "---\ntitle: x\n# no\n---\n```sh\n# no\n```\n~~~~\n# no\n~~~\n~~~~\n# Yes\n"
    ) == [("Yes", 1, "# Yes")]


def test_rules_lists_and_hashtags_are_no_headings(sections):
    assert sections("- item\n---\n\n---\n#tag\n    # code\n####### seven\n#\n> quote\n===\n") == []


def test_the_title_is_that_of_the_front_matter_or_the_first_heading(tmp_path):
    path = tmp_path / "0"
    path.write_text('---\ntitle: "Lab"\n---\n# Other\n')
    assert parse(Source(path, "n.md")).title == "Lab"
    path.write_text("text\n\n# First\n")
    assert parse(Source(path, "n.md")).title == "First"


def test_hostile_lines_take_no_long_time(sections):
    assert sections("#" * 100_000 + "\n" + "# " + "a " * 50_000 + "\n" + "`" * 90_000) == []
    assert sections("# a" + " #" * 400 + "x\n") != []
