import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.documents.parsing.cleaning import (
    clean,
    garbled_share,
    has_words,
    letters,
    one_line,
    without_gaps,
)


def test_every_kind_of_line_end_is_one_line_feed():
    assert clean("a\r\nb\rc\u2028d\x85e") == "a\nb\nc\nd\ne"


def test_what_no_reader_sees_is_taken_out():
    assert clean("\ufeffa\0b\x07c\x9fd\xade\ud800f\ufffeg\U0001ffff") == "abcdefg"


def test_spaces_of_all_widths_that_bind_words_are_spaces():
    assert clean("75\xa0°C\u202fis\x0cwarm") == "75 °C is warm"


def test_ligatures_are_letters_and_other_compatibility_forms_stay():
    assert clean("ﬁrst eﬃcient ﬂight ① ㎡ Ｆ") == "first efficient flight ① ㎡ Ｆ"


def test_joiners_and_tabs_stay():
    assert clean("👩\u200d👧\tनमस्ते") == "👩\u200d👧\tनमस्ते"


def test_three_blank_lines_are_one():
    assert without_gaps("a\n\n \n\t\n\nb\n\n\nc") == "a\n\nb\n\n\nc"


def test_colours_of_a_terminal_leave_nothing_behind():
    assert clean("\x1b[1;31merror\x1b[0m: full\x1b[K\x1b") == "error: full"


def test_a_label_is_one_line():
    assert one_line("  a\r\n b\t\0c ") == "a b c"


def test_words_are_more_than_marks_nobody_sees():
    assert has_words("a") and has_words("—") and has_words("\ue000")
    assert not has_words("") and not has_words(" \n\u200b\u2060\ufeff\0")


def test_garbled_text_is_mostly_what_no_font_shows():
    assert garbled_share("\x01\x02\ue123\ufffd") == 1
    assert garbled_share("plain\ttext\n") == garbled_share("") == 0
    assert letters("a1 中!") == 3


@settings(deadline=None)
@given(st.text())
def test_cleaning_again_changes_nothing_and_lines_stay(text):
    once = clean(text)
    assert clean(once) == once
    assert unicodedata.is_normalized("NFC", once)
    once.encode("utf-8")


def test_letters_struck_twice_by_a_printer_are_there_once():
    assert clean("N\x08NA\x08AM\x08ME\x08E  _\x08x") == "NAME  x"


def test_what_separates_fields_in_old_formats_separates_words():
    assert clean("8=FIX\x019=65\x1fend") == "8=FIX 9=65 end"


def test_letters_by_their_shape_are_the_letters():
    assert clean("\u2f47\u2f42 \ufe8d\ufe91\ufe9e \ufedf\ufe8e \ufb2a") == "日文 ابج لا ש\u05c1"
