"""Formulas on one line."""

import pytest
from lxml import etree

from webapp.documents.parsing.formulas import formula, is_power

M = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def shown(inside):
    return formula(etree.fromstring(f'<oMath xmlns="{M}" xmlns:m="{M}">{inside}</oMath>'))


def t(text):
    return f"<r><t>{text}</t></r>"


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (f"<f><num>{t(1)}</num><den>{t(2)}</den></f>", "1/2"),
        (f"<f><num>{t('a+b')}</num><den>{t(2)}</den></f>", "(a+b)/2"),
        (f"<sSup><e>{t('x')}</e><sup>{t(2)}</sup></sSup>{t('+1')}", "x^2+1"),
        (f"<sSubSup><e>{t('x')}</e><sub>{t('i')}</sub><sup>{t(2)}</sup></sSubSup>", "x_i^2"),
        (f"<rad><deg/><e>{t('x+1')}</e></rad>", "√(x+1)"),
        (f"{t(2)}<d><e>{t('x+1')}</e></d>", "2(x+1)"),
        (f'<d><dPr><begChr m:val="["/><endChr m:val="]"/></dPr><e>{t(1)}</e></d>', "[1]"),
        (
            f'<nary><naryPr><chr m:val="∑"/></naryPr><sub>{t(1)}</sub><e>{t("k")}</e></nary>',
            "∑_1 k",
        ),
    ],
)
def test_what_stands_above_below_and_in_brackets_is_told_apart(inside, text):
    assert shown(inside) == text


@pytest.mark.parametrize(
    ("before", "raised", "expected"),
    [
        ("10", "6", True),
        ("10", "-3", True),
        ("m", "2", False),
        ("1", "st", False),
        ("", "1", False),
    ],
)
def test_only_a_number_raised_at_a_number_is_a_power(before, raised, expected):
    assert is_power(before, raised) is expected
