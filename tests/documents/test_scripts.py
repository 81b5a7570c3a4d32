"""Which script a question is written in."""

import pytest

from webapp.documents.scripts import SENTENCES, script_of


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("How long is the notice period?", None),
        ("Wie groß ist die Höhe?", None),
        ("", None),
        ("123 ?!", None),
        ("合同的通知期有多长", "Chinese"),
        ("什么是 start-stop-daemon 命令的用途和参数", "Chinese"),
        ("the word 茶 means tea in Chinese", None),
        ("契約の期間", "Japanese"),
        ("𠮷野家", "Chinese"),
        ("계약 기간", "Korean"),
        ("Какой срок", "Cyrillic"),
        ("Ποια είναι", "Greek"),
        ("متى يغادر", "Arabic"),
        ("पानी कैसे दें", "Devanagari"),
    ],
)
def test_a_script_is_told_by_a_good_part_of_the_letters(text, script):
    assert script_of(text) == script


@pytest.mark.parametrize("script", SENTENCES)
def test_the_sentences_that_probe_a_script_are_written_in_it(script):
    for pair in SENTENCES[script]:
        assert {script_of(text) for text in pair} == {script}
