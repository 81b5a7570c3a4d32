"""Behind any text a heading is a heading, and the text itself stands there as it was."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from webapp.archives.markdown_ends import closed

PIECES = st.sampled_from(
    [
        *("```", "```py\n", "````", "~~~", "~~~~ x`", "`", "a ``` b", "\n", "\n\n", "\r\n", "\r"),
        *("   ", "    ", "\t", "- ", "1. ", "> ", "---", "===", "#", "|", "[a]: ", "word", "\x00"),
        *("<!--", "-->", "<pre>", "</pre>", "<script", "<?php", "?>", "<![CDATA[", "<!X", "<div>"),
        *("<", "<think>"),
    ]
)


def headings(markdown):
    tokens = MarkdownIt("commonmark").parse(markdown)
    pairs = pairwise(tokens)
    return [
        after.content
        for token, after in pairs
        if token.type == "heading_open" and token.level == 0 and token.markup == "##"
    ]


@given(st.lists(PIECES, max_size=16).map("".join))
def test_a_heading_behind_any_text_is_one(text):
    assert headings(f"{closed(text)}\n\n## The next speaks\n")[-1:] == ["The next speaks"]


@given(st.lists(PIECES, max_size=16).map("".join))
def test_the_text_stands_in_it_unchanged(text):
    assert text in closed(text)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("plain", ""),
        ("```py\nx = 1\n```", ""),
        ("````md\n```py\nx\n```\n````", ""),
        ("```py\nx = 1", "\n```"),
        ("````md\n```py\nx\n```", "\n````"),
        ("- a\n\n  ```\n  x", ""),
        ("> ```\n> x", ""),
        ("<!-- a", "\n-->"),
        ("<pre>\nx", "\n</pre>"),
        ("`a ``` b`", ""),
    ],
)
def test_only_what_is_open_is_closed(text, end):
    assert closed(text) == text + end
