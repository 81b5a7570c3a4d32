"""The numbers that Word counts."""

import pytest

from tests.documents.parsing.made import W, docx, paragraph, rels
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.parser import Source


def level(at, text, kind="decimal", more=""):
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="{text}"/>{more}</w:lvl>'
    )


NUMBERING = (
    f'<w:numbering {W}><w:abstractNum w:abstractNumId="0">{level(0, "%1.")}{level(1, "%1.%2")}'
    f"{level(2, '(%3)', 'lowerLetter')}</w:abstractNum>"
    f'<w:abstractNum w:abstractNumId="1">{level(0, "•", "bullet")}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="2">'
    f'{level(0, "Article %1", "upperRoman", """<w:pStyle w:val="Art"/>""")}</w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>'
    '<w:num w:numId="4"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">'
    '<w:startOverride w:val="5"/></w:lvlOverride></w:num></w:numbering>'
)
STYLES = (
    '<w:style w:styleId="Art"><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>'
    '<w:style w:styleId="Below"><w:basedOn w:val="Art"/></w:style>'
)


def item(text, number=1, depth=0, more=""):
    place = f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>'
    return f"<w:p><w:pPr>{place}{more}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def lines(tmp_path, body):
    links = rels(s=("styles", "styles.xml"), n=("numbering", "numbering.xml"))
    parts = {"word/_rels/document.xml.rels": links, "word/numbering.xml": NUMBERING}
    path = docx(tmp_path / "0", body, styles=STYLES, **parts)
    return [line for line in parse(Source(path, "x.docx")).text.split("\n") if line]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            [item("a"), item("b", depth=1), item("c", depth=1), item("d"), item("e", depth=1)],
            ["1. a", "1.1 b", "1.2 c", "2. d", "2.1 e"],
        ),
        ([item("a"), paragraph("between"), item("b")], ["1. a", "between", "2. b"]),
        ([item("a", depth=2), item("b", depth=2)], ["(a) a", "(b) b"]),
        ([item("a"), item("b", 4), item("c", 4)], ["1. a", "5. b", "6. c"]),
        ([item("a", 2)], ["a"]),
        ([item("a", 0), item("b", 99)], ["a", "b"]),
        ([paragraph("a", "Art"), paragraph("b", "Below")], ["Article I a", "Article II b"]),
        ([item("a"), item("", more="<w:rPr><w:del/></w:rPr>"), item("b")], ["1. a", "2. b"]),
        (
            [f"<w:tbl><w:tr><w:tc>{item('a')}</w:tc><w:tc>{item('b')}</w:tc></w:tr></w:tbl>"],
            ["1. a | 2. b"],
        ),
    ],
)
def test_paragraphs_have_the_numbers_they_are_printed_with(tmp_path, body, expected):
    assert lines(tmp_path, "".join(body)) == expected
