"""What a browser shows that no word of the page says."""

import pytest

from webapp.documents.parsing.html_text import write_html
from webapp.documents.parsing.writer import Writer


def text_of(html):
    writer = Writer(10**6)
    write_html(writer, html)
    return writer.document().text


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<ol><li>a<li>b</ol>", ["1. a", "2. b"]),
        ("<ol start=3 type=a><li><p>x</p><li value=9>y</ol>", ["c. x", "i. y"]),
        ("<ol reversed><li>x<li>y</ol>", ["2. x", "1. y"]),
        ("<ol><li>x<ol type=i><li>y</ol><li>z</ol>", ["1. x", "i. y", "2. z"]),
        ("<ol><li><ul><li>x</ul><li></li><li>y</ol>", ["1. x", "3. y"]),
        ("<ul><li>a<li>b</ul>", ["a", "b"]),
    ],
)
def test_items_have_the_numbers_they_are_shown_with(html, lines):
    assert [line for line in text_of(html).split("\n") if line] == lines


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            "<p>10<sup>6</sup> of m<sup>2</sup>, H<sub>2</sub>O, see<sup>1</sup>",
            "10^6 of m2, H2O, see1",
        ),
        ("<p>He said <q>no</q>.", "He said “no”."),
        ("<svg><text>Alpha</text><text>Beta</text></svg>", "Alpha Beta"),
        ("<p>One<button>two</button>three", "One two three"),
        (
            "<p><math><mfrac><mn>1</mn><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>",
            "1/(x+1)",
        ),
        ("<p><math><msup><mi>x</mi><mn>2</mn></msup><annotation>x^2</annotation></math>", "x^2"),
        ("<p><ruby>東<rp>(</rp><rt>とう</rt>京<rt>きょう</rt></ruby>に", "東京に"),
    ],
)
def test_signs_between_words_are_said(html, text):
    assert text_of(html) == text
