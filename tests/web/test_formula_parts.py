"""The elements that formulas are made of."""

from webapp.web.formula_parts import operator, row, scripted, table, text


def test_what_has_a_meaning_in_html_is_escaped():
    assert operator("<") == "<mo>&lt;</mo>"
    assert text(" a & b ") == "<mtext>\u00a0a &amp; b\u00a0</mtext>"


def test_scripts_stand_beside_or_above():
    assert scripted("b", "l", "h", over=False) == "<msubsup>blh</msubsup>"
    assert scripted("b", "l", "", over=True) == "<munder>bl</munder>"
    assert scripted("b", "", "h", over=True) == "<mover>bh</mover>"


def test_a_table_stands_between_the_fences_of_its_name():
    assert table([["a"]], "matrix") == "<mtable><mtr><mtd>a</mtd></mtr></mtable>"
    assert table([["a"]], "cases").startswith(
        '<mrow><mo stretchy="true">{</mo><mtable class="cases">'
    )
    assert table([["a"]], "bmatrix").endswith('<mo stretchy="true">]</mo></mrow>')
    assert row("a", name="boxed") == '<mrow class="boxed">a</mrow>'
