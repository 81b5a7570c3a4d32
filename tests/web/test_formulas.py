"""TeX as MathML: the usual formulas are laid out, and nothing is guessed."""

import time
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.web.formulas import DEEPEST, LONGEST, formula_html, mathml
from webapp.web.safe_html import clean

USUAL = [
    r"x_{1,2} = \frac{-b \pm \sqrt{b^2-4ac}}{2a}",
    r"\sum_{n=1}^\infty \frac1{n^2} = \frac{\pi^2}6",
    r"\int_0^1 x^2 \, dx = \left[ \frac{x^3}{3} \right]_0^1",
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} \vec{v} = \lambda \vec{v}",
    r"f(x) = \begin{cases} 1 & \text{if } x > 0 \\ 0 & \text{otherwise} \end{cases}",
    r"\begin{aligned} a &= b \\ &= c \end{aligned}",
    r"\begin{array}{cc} a & b \\ c & d \end{array}",
    r"\lim_{x \to 0} \frac{\sin x}{x} = 1, \quad f'(x), f''(x)^2, x'^2",
    r"\mathbb{R}^n \ni \mathbf{x} \mapsto \|\mathbf{x}\|_2, \mathcal{L}, \mathfrak{g}",
    r"\left. \frac{df}{dx} \right|_{x=0} \neq \overline{z} + \hat{y} \not= \bar x",
    r"P(A \mid B) = \frac{P(B \mid A) \, P(A)}{P(B)} \tag{1}",
    r"\underbrace{a + b}_{n} \overset{!}{=} \operatorname{rank}(A) \pmod{p}",
    r"\binom{n}{k} \big( \Big| \sqrt[3]{x} \boxed{42} \argmin_\theta \log_2 10\%",
    r"\{x \in \mathbb{Z} : x \le 5\} \cup \varnothing",
    r"a \\ b \\[2pt] c",
    r"^{14}_{6}\mathrm{C}",
    "",
]


def passed(html):
    """What the wall leaves of it."""
    return clean(html).replace("&nbsp;", "\u00a0")


@pytest.mark.parametrize("tex", USUAL)
@pytest.mark.parametrize("display", [True, False])
def test_the_usual_formulas_are_laid_out_whole(tex, display):
    html = mathml(tex, display=display)
    root = ElementTree.fromstring(html)
    assert (root.get("display") == "block") == display
    assert passed(html) == html, "what it writes has to pass the wall"
    children = {"mfrac": 2, "msup": 2, "msub": 2, "msubsup": 3, "mroot": 2, "munder": 2, "mover": 2}
    for each in root.iter():
        assert len(each) == {**children, "munderover": 3}.get(each.tag, len(each)), tex


@pytest.mark.parametrize(
    "tex",
    [r"\unheardof{x}", r"\frac{a", "a^b^c", "a_b_c", "}", r"\left( x", r"\begin{tikzpicture}",
     r"\begin{matrix} a \end{cases}", "50%", "#1", "$", r"\text{a {nested} b}", r"\right)", "a&b }",
     "{" * (DEEPEST + 1) + "}" * (DEEPEST + 1), r"\hat" * 3000, r"\frac" * 3000, r"\\["],
)  # fmt: skip
def test_what_is_not_understood_is_no_formula(tex):
    assert mathml(tex) is None


@pytest.mark.parametrize(
    "source",
    ["$HOME/bin:$", "$5 and 10$", "$5 to 10$", r"$$open", r"\(a\]", "$$$$", "$ $", "words", "",
     "$$" + "x" * LONGEST + "$$"],
)  # fmt: skip
def test_prices_paths_and_halves_stay_as_they_were_written(source):
    assert formula_html(source) is None


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("$x$", "<math><mi>x</mi></math>"),
        ("$$x$$", '<math display="block">'),
        (r"\[x\]", '<math display="block">'),
        (r"\(\frac12\)", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        ("$x^10$", "<msup><mi>x</mi><mn>1</mn></msup><mn>0</mn>"),
        (r"$\text{cost} < 3.5$", "<mtext>cost</mtext><mo>&lt;</mo><mn>3.5</mn>"),
        (r"$E = mc^2$", "<mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>"),
        (r"$$Speed = 1$$", "<mi>Speed</mi>"),
        (r"$\mathbb{R}$", "ℝ"),
        (r"$\mathcal{B} \mathbf{x} \mathtt{7}$", "ℬ"),
    ],
)
def test_ends_and_letters_are_read_as_they_are_meant(source, part):
    assert part in formula_html(source)


PIECES = [r"\frac", r"\left", r"\right", "(", ")", "{", "}", "^", "_", "&", r"\\", r"\begin{cases}",
          r"\end{cases}", r"\text{", r"\sqrt", "[", "]", "x", "12", "'", r"\hat", r"\mathbb", " ",
          "<script>", "&amp;", r"\sum", r"\not", "~", "漢"]  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_pieces_give_a_whole_formula_or_none(tex):
    html = mathml(tex)
    if html is not None:
        ElementTree.fromstring(html)
        assert passed(html) == html


def test_a_long_formula_takes_no_time():
    begun = time.process_time()
    mathml(r"\text{ab}" * (LONGEST // 9))
    mathml(r"\frac{a}{b}+" * (LONGEST // 12))
    assert time.process_time() - begun < 1
