"""Hostile texts take bounded time and bounded pages."""

import time

import pytest

from webapp.web import markdown
from webapp.web.markdown import open_html, to_html
from webapp.web.markdown_limits import TooSlow, start_clock

N = 60_000
BOMBS = {
    "a table of 2,000 columns": "|"
    + "a|" * 2000
    + "\n|"
    + "-|" * 2000
    + ("\n|" + "a|" * 2000) * 12,
    "a table filled up by the parser": "|" + "a|" * 99 + "\n|" + "-|" * 99 + "\n" + "|x\n" * 900,
    "table heads only": "-|\n" * (N // 3),
    "opening brackets": "[" * N,
    "nested brackets": "[" * 20_000 + "]" * 20_000,
    "half links": "[](" * (N // 3),
    "half images": "![" * (N // 2),
    "asterisks": "**a*" * (N // 4),
    "quotes in quotes": ">" * N,
    "lists in lists": "- " * (N // 2),
    "deep lists": "".join(" " * 2 * depth + "- a\n" for depth in range(240)),
    "backticks": "".join("`" * width + "a" for width in range(340)),
    "formulas that never end": "\\[\n" * (N // 3),
    "dollars": "$a " * (N // 3),
    "link definitions": "[a]: b\n" * (N // 7),
    "addresses": "https://a.b/) " * (N // 14),
    "line ends": "a\n" * (N // 2),
    "one long line": "a" * N,
    "entities": "&#x" * (N // 3),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_hostile_text_takes_bounded_time_finished_and_open(name, monkeypatch):
    monkeypatch.setattr(markdown, "FINISHED_SECONDS", 0.3)
    monkeypatch.setattr(markdown, "OPEN_SECONDS", 0.1)
    begun = time.thread_time()
    to_html(BOMBS[name])
    open_html(BOMBS[name], {})
    assert time.thread_time() - begun < 1.2


@pytest.mark.parametrize("name", ["a table of 2,000 columns", "a table filled up by the parser"])
def test_a_table_too_large_for_a_page_stays_text(name):
    html = to_html(BOMBS[name])
    assert "<table" not in html
    assert len(html) < 3 * len(BOMBS[name]) + 1000


def test_a_large_but_usual_table_is_a_table():
    rows = "| name | value | note |\n|---|---|---|\n" + "| a | 1 | x |\n" * 500
    assert to_html(rows).count("<tr>") == 501


def test_a_text_that_takes_too_long_is_shown_as_it_was_written(monkeypatch):
    monkeypatch.setattr(markdown, "FINISHED_SECONDS", 0.0)
    monkeypatch.setattr(markdown, "OPEN_SECONDS", 0.0)
    text = "**word** & [link](https://x.example)\n" * 400
    assert "**word** &amp; [link]" in to_html(text)
    assert markdown.TOO_MUCH in to_html(text)
    assert "**word** &amp; [link]" in open_html(text, {})


def test_the_clock_is_looked_at_while_parsing():
    env = {}
    start_clock(env, -1.0)
    with pytest.raises(TooSlow):
        markdown._FINISHED.parse("word *a* " * 2000, env)
