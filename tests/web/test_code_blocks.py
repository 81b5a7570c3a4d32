"""Code: named, copied, coloured, and never changed."""

from html import unescape
from re import sub

import pytest

from webapp.assets import static_folder
from webapp.web import code_blocks
from webapp.web.code_blocks import MOST_HIGHLIGHTED, code_frame, code_html
from webapp.web.safe_html import clean

CODE = 'def greet(name: str) -> str:\n\n    return f"<b>{name}</b>" & "x"  # 你好\n\n'


def text_of(html):
    return unescape(sub("<[^>]*>", "", html.split("<code>")[1].split("</code>")[0]))


@pytest.mark.parametrize(
    "info", ["python", "js", "rust", "html+jinja", "diff", "", "klingon", "json"]
)
@pytest.mark.parametrize("code", [CODE, "\n\n  x\n\n", "{'a': 1\n", "\t<>\"'&\n", ""])
def test_colouring_changes_no_character(info, code):
    assert text_of(clean(code_html(code, info))) == code


@pytest.mark.parametrize(
    ("info", "name"),
    [
        ("python", "Python"),
        ("PYTHON", "Python"),
        ("py title='a.py'", "Python"),
        ("{.python .numberLines}", "Python"),
        ("python:main.py", "Python"),
        ("c++", "C++"),
        ("c#", "C#"),
        ("sh", "Bash"),
        ("", "Text"),
        ("text", "Text"),
        ("klingon", "klingon"),
        ('"><script>', "Text"),
    ],
)
def test_the_head_names_the_language(info, name):
    assert f'<span class="code-name">{name}</span>' in code_html("x\n", info)


def test_known_languages_are_coloured_by_classes_and_unknown_ones_are_not():
    assert '<span class="hl-k">def</span>' in code_html(CODE, "python")
    assert "hl-" not in code_html(CODE, "klingon")


def test_very_long_code_is_shown_without_colours():
    long = "x = 1\n" * (MOST_HIGHLIGHTED // 6 + 1)
    assert "hl-" not in code_html(long, "python")
    assert text_of(code_html(long, "python")) == long


def test_a_lexer_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(code_blocks, "HIGHLIGHT_SECONDS", 0.0)
    code = "value = 7  # only here\n" * 50
    assert "hl-" not in code_html(code, "python")
    assert text_of(code_html(code, "python")) == code


def test_code_that_is_still_open_has_the_same_frame():
    before, after = code_frame("python")
    html = code_html("x\n", "python")
    assert html.startswith(before)
    assert html.endswith(after)


def test_every_class_of_the_colours_has_one_in_the_style_sheet():
    sheet = (static_folder() / "css" / "code.css").read_text("utf-8")
    for name in ("hl-k", "hl-s2", "hl-mi", "hl-c1", "hl-nf", "hl-nc", "hl-gi", "hl-gd"):
        assert f".{name}" in sheet
