"""What each line of an answer is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.markdown_lines import cells, lines_of


def kinds(text):
    return [line.kind for line in lines_of(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title\n\nWords\nmore", ["heading", "blank", "prose", "prose"]),
        ("Title\n=====\nWords", ["heading", "structure", "prose"]),
        ("```py\na\n```\nWords", ["code", "code", "code", "prose"]),
        ("```\nnever closed\n\nwords", ["code"] * 4),
        ("~~~\n```\n~~~\nWords", ["code", "code", "code", "prose"]),
        ("> ```\n> code\nWords", ["code", "code", "prose"]),
        ("- ```\n  code\nWords", ["code", "code", "prose"]),
        ("    indented\nWords", ["code", "prose"]),
        ("Words\n    go on", ["prose", "prose"]),
        (
            "| a | b |\n|---|:-:|\n| c | d |\n\nWords",
            ["head", "structure", "row", "blank", "prose"],
        ),
        ("a | b\nc | d", ["prose", "prose"]),
        ("$$\nx = 1\n$$\nWords", ["structure"] * 3 + ["prose"]),
        ("$$\nno end", ["prose", "prose"]),
        ("[a]: https://x.y\nWords", ["structure", "prose"]),
        ("* * *\nWords", ["structure", "prose"]),
    ],
)
def test_lines_are_told_apart(text, expected):
    assert kinds(text) == expected


def test_words_of_a_line_begin_behind_its_signs():
    text = "> 1. [x] words"
    (line,) = lines_of(text)
    assert text[line.ink :] == "words"
    assert line.begins


def test_a_row_has_cells_and_an_escaped_bar_is_none():
    text = r"| a \| b | c |"
    (line,) = lines_of(text)
    assert [text[a:b].strip() for a, b in cells(text, line)] == ["", r"a \| b", "c", ""]


@given(st.text(alphabet="`~$\\[]|-=#>*1. a\n\t\r", max_size=80))
def test_lines_together_are_the_whole_text(text):
    lines = lines_of(text)
    assert "".join(text[line.start : line.end] for line in lines) == text
    assert all(line.start <= line.ink <= line.end for line in lines)
