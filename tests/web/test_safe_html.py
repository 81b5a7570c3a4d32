"""The written list: what is not on it goes, whatever made it."""

import pytest

from tests.web.hostile import TEXTS, faults
from webapp.web.safe_html import clean, escaped, sendable


@pytest.mark.parametrize("html", TEXTS)
def test_even_raw_html_of_a_model_comes_out_harmless(html):
    assert faults(clean(sendable(html))) == []


def test_classes_that_are_not_ours_go_and_ours_stay():
    html = '<span class="hl-k composer">a</span><li class="task sidebar">b</li>'
    assert clean(html) == '<span class="hl-k">a</span><li class="task">b</li>'


def test_a_copy_button_survives_and_any_other_button_loses_its_powers():
    ours = '<button class="copy" type="button" data-copy="">Copy</button>'
    assert clean(ours) == ours
    evil = '<button class="danger" type="submit" form="composer" formaction="/x" data-copy="/y">x'
    assert clean(evil) == '<button class="">x</button>'


def test_links_lead_to_a_new_page_that_learns_nothing_of_ours():
    html = clean('<a href="https://x.example/" target="_self" rel="opener">x</a>')
    assert 'target="_blank"' in html
    assert 'rel="noopener noreferrer nofollow"' in html


def test_escaped_text_ends_no_tag_and_no_attribute():
    assert escaped('<a b="c">&') == "&lt;a b=&quot;c&quot;&gt;&amp;"


def test_sendable_text_always_encodes_and_has_one_kind_of_line_end():
    assert sendable("a\r\nb\rc\0d") == "a\nb\nc\N{REPLACEMENT CHARACTER}d"
    assert sendable("x\ud83d\ude00y\ud83dz\udfff") == "x😀y\ufffdz\ufffd"
    sendable("".join(map(chr, range(0xD7F0, 0xE010)))).encode()


def test_a_beginning_of_a_text_is_sendable_as_a_beginning_of_the_whole():
    text = "a\r\nb\r\rc\0\r\n"
    whole = sendable(text)
    assert all(whole.startswith(sendable(text[:end])) for end in range(len(text) + 1))
