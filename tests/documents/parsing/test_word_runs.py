"""The words of one paragraph of a Word document."""

import pytest
from lxml import etree

from tests.documents.parsing.made import W
from webapp.documents.parsing.word_runs import is_on, words_of


def words(inside):
    return words_of(etree.fromstring(f"<w:p {W}>{inside}</w:p>"), [])


def run(text, look=""):
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def field(kind, inside=""):
    return f'<w:r><w:fldChar w:fldCharType="{kind}">{inside}</w:fldChar></w:r>'


CODE = "<w:r><w:instrText> IF </w:instrText></w:r>"
INNER = field("begin") + CODE + field("separate") + run("male") + field("end")
TICKED = '<w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData>'
LIST = (
    '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="Lyon"/>'
    '<w:listEntry w:val="Porto"/></w:ddList></w:ffData>'
)


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (run("a") + run("b", "<w:vanish/>") + run("c", '<w:vanish w:val="0"/>'), "ac"),
        (field("begin") + INNER + field("separate") + run("Mr") + field("end") + run(" S"), "Mr S"),
        (run("a") + field("begin") + CODE + field("end") + run("b"), "ab"),
        (run("a") + field("begin") + CODE + run("b"), "ab"),
        (run("a") + field("end") + run("b"), "ab"),
        (field("begin", TICKED) + CODE + field("end") + run(" yes"), "☒ yes"),
        (field("begin", LIST) + CODE + field("end"), "Porto"),
        (run("10") + run("6", '<w:vertAlign w:val="superscript"/>') + run(" m"), "10^6 m"),
        (run("m") + run("2", '<w:vertAlign w:val="superscript"/>'), "m2"),
        ('<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>', "α"),
        (
            f"<w:r><w:ruby><w:rt>{run('とう')}</w:rt><w:rubyBase>{run('東')}</w:rubyBase></w:ruby></w:r>",
            "東",
        ),
    ],
)
def test_only_what_is_seen_is_said(inside, text):
    assert words(inside) == text


def test_a_property_can_be_switched_off():
    look = etree.fromstring(f'<w:rPr {W}><w:b/><w:i w:val="false"/></w:rPr>')
    assert [is_on(look, name) for name in "biu"] == [True, False, False]
    assert not is_on(None, "b")
