"""Whole answers as HTML: laid out, safe, and whatever the text holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web.hostile import TEXTS, faults
from webapp.web import markdown
from webapp.web.markdown import block_starts, open_html, to_html


@pytest.mark.parametrize("text", TEXTS)
def test_nothing_in_a_text_becomes_more_than_text(text):
    assert faults(to_html(text)) == []
    assert faults(open_html(text.replace("\ud800", "").replace("\udfff", ""), {})) == []
    to_html(text).encode()


@given(st.text(alphabet=st.characters(codec=None), max_size=80))
def test_any_text_at_all_is_laid_out_and_can_be_sent(text):
    html = to_html(text)
    html.encode()
    assert faults(html) == []


def test_the_usual_markup_is_laid_out():
    html = to_html(
        "# One\n\nTwo **three**\n\n- a\n  1. b\n\n> c\n\n| d |\n|---|\n| e |\n\n***\n\n~~g~~ `h`"
    )
    for tag in ("h1", "strong", "ul", "ol", "blockquote", "table", "hr", "s", "code"):
        assert f"<{tag}" in html


def test_lists_40_levels_deep_keep_all_their_words():
    text = "".join("  " * depth + f"- level {depth}\n" for depth in range(40))
    html = to_html(text)
    assert all(f"level {depth}" in html for depth in range(40))


def test_html_in_a_text_is_shown_as_written():
    assert to_html("a <b>c</b>") == "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n"


def test_a_text_too_long_to_lay_out_is_shown_whole():
    text = "**x** & y\n" * 25_000
    html = to_html(text)
    assert markdown.TOO_MUCH in html
    assert html.count("**x** &amp; y") == 25_000


def test_thinking_is_folded_and_letter_by_letter():
    html = to_html("<think>\n1 * 2 * 3 <b>\n</think>\n\n**Six**")
    assert '<details class="thinking"><summary>Thinking</summary>' in html
    assert '<div class="thought">1 * 2 * 3 &lt;b&gt;</div>' in html
    assert "<p><strong>Six</strong></p>" in html


def test_a_link_definition_anywhere_serves_the_whole_answer():
    assert 'href="https://x.example"' in to_html("[a]\n\n# h\n\n[a]: https://x.example")


def test_open_text_shows_unclosed_code_as_code_and_flashes_no_heading():
    html = open_html("Look:\n\n```python\nx = 1", {})
    assert "<pre" in html
    assert "hl-" not in html
    assert "<h2>" not in open_html("Hello\n-", {})
    assert "<h2>" in to_html("Hello\n---\n\nmore")


def test_open_text_leaves_the_link_definitions_alone():
    known = {}
    open_html("[a]: https://x.exa", known)
    assert known == {}


def test_block_starts_are_those_of_the_top_level():
    text = "# a\n\n- b\n\n  c\n\n```\nd\n\n# e\n```\nf\n"
    assert [text[start] for start in block_starts(text, {})] == ["#", "-", "`", "f"]


def test_a_formula_without_its_end_begins_no_block_yet():
    assert block_starts("a\n\n\\[\nx\n", {}) == [0]
    assert block_starts("a\n\n\\[\nx\n\\]\n", {}) == [0, 3]
