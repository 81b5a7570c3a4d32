"""Beyond CommonMark: formulas, tasks, links, and text without spaces between words."""

import pytest

from webapp.web.markdown import open_html, to_html
from webapp.web.markdown_rules import is_wide, joins_lines


@pytest.mark.parametrize(
    ("text", "bold"),
    [
        ("**「引用」**です", "「引用」"),
        ("**重要。**です", "重要。"),
        ("これは**「大事」**なこと", "「大事」"),
        ("**注意（必読）**請看", "注意（必読）"),
        ("他说**“引用”**。", "“引用”"),
        ("请看**Git(版本)**的说明", "Git(版本)"),
        ("**한국어(영어)**입니다", "한국어(영어)"),
        ("**100%**です", "100%"),
        ("A **bold** word", "bold"),
        ("**「A」**と**「B」**", "「A」"),
    ],
)
def test_emphasis_works_where_words_have_no_spaces_between_them(text, bold):
    assert f"<strong>{bold}</strong>" in to_html(text)


@pytest.mark.parametrize(
    "text", ["2 ** 3 ** 4", "a ** b **", "snake_case_name", "f(*args)", "5*3*2 = 30"]
)
def test_what_is_no_emphasis_elsewhere_is_none_here(text):
    assert "<strong>" not in to_html(text)
    assert "snake<em>" not in to_html(text)


def test_struck_out_text_works_beside_wide_punctuation():
    assert "<s>「旧」</s>" in to_html("~~「旧」~~です")


def test_a_line_end_inside_chinese_or_japanese_is_no_space():
    assert to_html("日本語の\n文章") == "<p>日本語の文章</p>\n"
    assert to_html("中文，\n继续") == "<p>中文，继续</p>\n"
    assert to_html("**重要**\n事項") == "<p><strong>重要</strong>事項</p>\n"


def test_a_line_end_elsewhere_stays_one():
    assert to_html("one\ntwo") == "<p>one\ntwo</p>\n"
    assert to_html("한국어\n문장") == "<p>한국어\n문장</p>\n"
    assert to_html("日本\nword") == "<p>日本\nword</p>\n"


def test_wide_characters_are_known():
    assert is_wide("語")
    assert not is_wide("e")
    assert joins_lines("。", "本")
    assert not joins_lines("글", "자")


@pytest.mark.parametrize(
    "formula",
    [
        r"\(a_1 * b * c \newcommand\)",
        r"\[ \frac{1}{2} \unheardof \]",
        r"$$ x_{1} * y_{2} * z \oops $$",
        r"$x_{1} + \oops * b * c$",
        "\\[\nx = \\frac{1}{2} \\\\\n- y\n# z\n\\]",
    ],
)
def test_a_formula_that_is_not_understood_is_kept_letter_by_letter(formula):
    html = to_html(f"{formula}")
    assert f'<span class="math">{formula}</span>' in html


@pytest.mark.parametrize(
    "formula",
    [r"\(a_1 * b * c\)", r"\[ \frac{1}{2} \]", r"$x_{1} + \alpha * b * c$", "$$\na * b\n$$"],
)
def test_a_formula_is_laid_out_and_its_signs_are_no_markup(formula):
    html = to_html(f"So {formula} it is." if formula[0] != "$$" else formula)
    assert "<math" in html
    assert not any(tag in html for tag in ("<em>", "<strong>", "<li>"))


def test_a_formula_interrupts_a_paragraph_and_stands_in_a_list():
    html = to_html("So:\n\\[\n- x\n\\]\nand on.\n\n- item\n  \\[\n  y\n  \\]\n")
    assert html.count('<span class="math">') == 2
    assert "<p>and on.</p>" in html


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $10.",
        "From $5 to 10$ more",
        "a $ b $ c",
        "\\(never ends",
        "\\[\nnor this\n\nend",
    ],
)
def test_prices_and_lone_signs_are_no_formulas(text):
    assert "math" not in to_html(text) or text.startswith("From")
    assert text.split()[-1] in to_html(text)


def test_an_open_formula_keeps_its_backslashes():
    assert '<span class="math">\\(\\frac{1}' in open_html("So \\(\\frac{1}", {})
    assert '<span class="math">\\[\n\\alpha' in open_html("\\[\n\\alpha", {})


def test_code_is_no_formula():
    assert to_html("`\\(a\\)` and `$b$`") == "<p><code>\\(a\\)</code> and <code>$b$</code></p>\n"


def test_tasks_are_marked_by_classes():
    html = to_html("- [ ] to do\n- [x] **done**\n- [y] neither\n1. [X] third\n")
    assert '<li class="task">to do</li>' in html
    assert '<li class="task done"><strong>done</strong></li>' in html
    assert "<li>[y] neither</li>" in html
    assert '<li class="task done">third</li>' in html


def test_columns_are_aligned_by_classes():
    html = to_html("| a | b | c | d |\n|:--|:-:|--:|---|\n| 1 | 2 | 3 | 4 |\n")
    for side in ("left", "center", "right"):
        assert f'<td class="{side}">' in html
        assert f'<th class="{side}">' in html
    assert "style" not in html


def test_an_image_is_a_link_with_its_words_and_nothing_is_loaded():
    html = to_html("![a *nice* chart](https://x.example/c.png)")
    assert '<a href="https://x.example/c.png" class="image"' in html
    assert ">image: a nice chart</a>" in html
    assert "image: https://x.example/d.png" in to_html("![](https://x.example/d.png)")
    assert "![own](chart.png)" in to_html("![own](chart.png)")


def test_an_image_inside_a_link_is_words_of_that_link():
    html = to_html("[![badge](https://x.example/b.svg)](https://y.example)")
    assert html.count("<a ") == 1
    assert ">image: badge</a>" in html


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("See https://x.example/a_b*c*.", "https://x.example/a_b"),
        ("(https://x.example/a_(b))", "https://x.example/a_(b)"),
        ("https://x.example/?a=1&b=2!", "https://x.example/?a=1&amp;b=2"),
        ("参照https://x.example/路。", "https://x.example/%E8%B7%AF"),
        ("<https://x.example>", "https://x.example"),
        ("[https://x.example/q](https://y.example)", "https://y.example"),
    ],
)
def test_an_address_in_running_text_is_a_link(text, address):
    html = to_html(text)
    assert f'href="{address}' in html
    assert html.count("<a ") == 1


def test_an_address_in_code_is_code():
    assert "<a " not in to_html("`https://x.example`\n\n    https://x.example\n")
