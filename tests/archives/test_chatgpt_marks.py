"""Marks become links, names, or nothing; what can be read stays."""

import pytest

from webapp.archives.chatgpt_marks import resolved

CITE = "\ue200cite\ue202a\ue201"
PAGE = {"title": "T [1]", "url": "https://a.example/"}


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ({"alt": "([x](https://x.example))"}, "so ([x](https://x.example))."),
        ({"alt": "[A boat]()"}, "so A boat."),
        ({"items": [{}, PAGE]}, "so ([T (1)](<https://a.example/>))."),
        (PAGE, "so ([T (1)](<https://a.example/>))."),
        ({"url": "javascript:x", "name": "plan.pdf"}, "so (plan.pdf)."),
        ({"url": "https://a b"}, "so ."),
        ({}, "so ."),
    ],
)
def test_a_mark_stands_for_what_is_known_of_its_source(reference, text):
    metadata = {"content_references": [{"matched_text": CITE, **reference}]}
    assert resolved(f"so {CITE}.", metadata) == text


@pytest.mark.parametrize("words", ["so", " ", ""])
def test_words_that_are_no_mark_stay(words):
    metadata = {"content_references": [{"matched_text": words, "alt": "(x)"}]}
    assert resolved("so it is", metadata) == "so it is"


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        ('\ue200entity\ue202["city","Paris","in France"]\ue201', "Paris"),
        ('\ue200entity\ue202["Paris"]\ue201', "Paris"),
        ("\ue200entity\ue202[torn\ue201", ""),
        ('\ue200entity\ue202{"a": 1}\ue201', ""),
        ("\ue200entity\ue201", ""),
        ("\ue200url\ue202here\ue202https://a.example\ue201", "[here](<https://a.example>)"),
        ("\ue200link_title\ue202here\ue202turn0search1\ue201", "here"),
        ("\ue200image_group\ue202{}\ue201", ""),
        ("\ue203bright\ue204", "bright"),
        ("\ue200cite\ue202torn", "cite" + "torn"),
    ],
)
def test_a_mark_of_unknown_meaning_keeps_the_words_for_the_reader(mark, text):
    assert resolved(f"a {mark} b", {}) == f"a {text} b"


def cited(start, end, number=None, **about):
    extra = {"extra": {"cited_message_idx": number}} if number is not None else {}
    return {"start_ix": start, "end_ix": end, "metadata": {**about, **extra}}


def test_notes_in_brackets_become_links_by_their_place_or_their_number():
    page = {"title": "T", "url": "https://a.example"}
    text = "One【1†source】 two【2†source】 three【3†p.pdf】 and 【a quote】."
    citations = [cited(3, 13, **page), cited(0, 1, 2, name="p.pdf"), cited(0, "x"), {}]
    assert resolved(text, {"citations": citations}) == (
        "One([T](<https://a.example>)) two(p.pdf) three【3†p.pdf】 and 【a quote】."
    )
