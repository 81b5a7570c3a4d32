"""What a text says about its own encoding."""

import pytest

from webapp.documents.parsing.declared import declared_in


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<?xml version='1.0' encoding='windows-1251'?>", "windows-1251"),
        ("#!/usr/bin/python\n# -*- coding: koi8-r -*-", "koi8-r"),
        ("# vim: fileencoding=latin-1", "latin-1"),
        ('@charset "Shift_JIS";', "Shift_JIS"),
        ("\\documentclass{a}\n\\usepackage[latin1]{inputenc}", "latin1"),
        ("a line\nanother\n# coding: koi8-r", ""),
        ("", ""),
    ],
)
def test_each_kind_of_text_has_its_own_way(text, name):
    assert declared_in(text.encode()) == name
