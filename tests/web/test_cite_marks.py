"""Numbers, ticks and crosses in an answer's words."""

import re

import pytest

from tests.web.cited_answers import TEXT, answer, grounding
from webapp.web.cite_marks import cited_html
from webapp.web.cited import cited
from webapp.web.markdown import to_html

AT = "/threads/thread/messages/answer"
MADE = re.compile(
    r'<a class="cite".*?</a>|<span class="quoted.*?</span>'
    r'|<span class="bare-word">.*?</span>|<[^>]*>',
    re.DOTALL,
)


def html(text=TEXT, **facts):
    return cited_html(text, cited(answer(text, grounding=grounding(text, **facts))), AT)


def words(shown):
    return MADE.sub("", shown)


def test_a_number_stands_behind_its_sentence_and_leads_to_the_passage():
    shown = html()
    number = re.search(r'ninety days\.<a class="cite"[^>]*>1</a>', shown)
    assert number and f'href="{AT}/passages/1?mark=0"' in number[0]
    assert 'aria-label="Source 1: similar passage in contract.pdf, page 4"' in number[0]


def test_a_quote_that_is_nowhere_is_crossed_and_one_that_is_there_ticked():
    assert re.search(r'ninety years</span><span class="quoted crossed"[^>]*>✗</span>', html())
    begin = TEXT.index("ninety years")
    there = [{"start": begin, "end": begin + 12, "passage": 0}]
    assert 'aria-label="found word for word in contract.pdf"' in html(quotes=there)


def test_what_has_no_passage_is_wrapped_and_named():
    shown = html()
    assert '<span class="bare">The moon is </span>' in shown
    assert shown.count("not in your files") == 1


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "- one thing is here\n- **two** [things](https://example.org/a)\n\n1. `code` and $x^2$",
        "| a | b |\n|---|---|\n| some words here | more |\n\n```python\nprint('a')\n```\n",
        "Line one of it  \nline two. <b>html</b> &amp; https://example.org/a.b now",
        "第一句话在这里。\n第二句话。",
        "\ufdd0 a mark of its own \ufde1",
    ],
)
def test_the_words_stay_those_of_the_model_wherever_marks_stand(text):
    for at in range(1, len(text) + 1, 3):
        marks = [{"at": at, "sentence": [0, at], "passage": 0, "score": 1}]
        quotes = [{"start": max(0, at - 2), "end": at, "passage": 0}]
        shown = html(text, marks=marks, quotes=quotes, unsupported=[[0, at]])
        assert words(shown) == MADE.sub("", to_html(text))


def test_a_name_of_a_file_is_no_markup():
    hostile = {"file": '"><script>alert(1)</script>', "file_id": "f1", "id": "a", "text": "b"}
    assert "<script>" not in html(passages=[hostile])
