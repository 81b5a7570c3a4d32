import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.documents.parsing.encoding import decode
from webapp.errors import Unreadable

CHINESE = "这本书是自由的；你可以在自由软件基金会发布的许可证条款下重新分发和修改它。"
JAPANESE = "この文書はよく聞かれる疑問に答えます。他のものよりもこれを選択すべき理由は何でしょうか?"
PROSE = {
    "gb18030": CHINESE,
    "cp950": "系統是一個面向網絡計算機的功能強大的計算平臺。然而，學習使用它的全部功能並非易事。",
    "cp932": JAPANESE,
    "euc_jp": JAPANESE,
    "cp949": "이 문서는 데비안 배포판 및 데비안 프로젝트에 대해 자주 묻는 질문을 드립니다.",
    "koi8-r": "В этом документе содержатся ответы на часто задаваемые вопросы о системе.",
    "cp1251": "В этом документе содержатся ответы на часто задаваемые вопросы о системе.",
    "cp1252": "Le café « à la crème » coûte 3,50 € près de la gare, où l’été dure.",
    "iso2022_jp": "この文書はよく聞かれる疑問に答えます。",
    "utf-8": "Größe 中文 κ",
}


def refused(data, **more):
    with pytest.raises(Unreadable) as error:
        decode(data, **more)
    return error.value.code


@pytest.mark.parametrize("encoding", PROSE)
def test_prose_is_read_in_the_encodings_people_still_have(encoding):
    text = PROSE[encoding]
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_mark_at_the_start_decides_and_is_no_text(encoding):
    assert decode("Größe 中文".encode(encoding)).text == "Größe 中文"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", ["plain words\n", "Größe\r\n" * 20])
def test_wide_text_without_a_mark_is_known_by_its_zeros(encoding, text):
    assert decode(text.encode(encoding)).text == text
    assert decode(text.encode(encoding)[:-1]).text.startswith(text[:-1])  # cut off


def test_wide_chinese_without_a_mark_is_read():
    text = (CHINESE + " Debian 系统\n") * 4
    assert decode(text.encode("utf-16-le")).text == text


def test_short_utf_8_is_never_taken_for_something_else():
    assert decode("κ = 3.2 µm, α < β".encode()).encoding == "utf-8"


def test_utf_8_that_was_cut_inside_a_character_is_still_utf_8():
    data = (CHINESE * 3).encode()
    for cut in (1, 2):
        assert decode(data[:-cut]).text == (CHINESE * 3)[:-1]


def test_one_bad_byte_in_much_utf_8_costs_one_character():
    data = (CHINESE * 40).encode()
    found = decode(data[:300] + b"\xff" + data[300:])
    assert found.encoding == "utf-8"
    assert found.text.count("\ufffd") == 1


def test_short_western_text_is_read_as_western():
    for text in ("Köln;3,50 €", "Zürich", "déjà vu", "mañana, señor"):
        assert decode(text.encode("cp1252")).text == text


def test_a_little_russian_among_english_is_not_taken_for_polish():
    text = "Debian GNU/Linux is a free operating system, or система по-русски"
    assert "система" in decode(text.encode("cp1251")).text


def test_short_text_of_central_europe_is_read_as_such():
    for text in ("Příliš žluťoučký kůň úpěl", "Zażółć gęślą jaźń", "Árvíztűrő tükörfúrógép"):
        assert decode(text.encode("cp1250")).text == text


def test_a_declared_encoding_counts_where_the_bytes_leave_a_choice():
    assert decode("Őszi".encode("iso-8859-2"), "iso-8859-2").text == "Őszi"
    assert decode("Größe".encode(), "iso-8859-1").text == "Größe"
    assert decode(b"plain", "no-such-encoding").text == "plain"


def test_zero_bytes_in_text_are_dropped():
    assert decode(b"start\0\0 sensor=7\0\nend").text == "start sensor=7\nend"
    assert decode(b"last words\n" + b"\0" * 5000).text == "last words\n"


def test_a_bell_and_a_form_feed_make_no_binary_file():
    assert decode(b"page one\x0cpage two\x07\n").text == "page one\x0cpage two\x07\n"


def test_nothing_but_zeros_is_an_empty_text():
    assert decode(b"\0" * 4096).text == decode(b"").text == ""


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 8, b"\x7fELF\x02\x01\x01" + bytes(range(1, 32)) * 9, b"\x01\x02\x03\x04"],
)
def test_bytes_that_are_no_text_are_refused(data):
    assert refused(data) == "unsupported"


@settings(deadline=None)  # the first call loads what guesses
@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_refused(data):
    try:
        assert isinstance(decode(data).text, str)
    except Unreadable as fault:
        assert fault.code == "unsupported"


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=("C",)), max_size=200))
def test_what_was_written_as_utf_8_is_read_as_it_was(text):
    assert decode(text.encode()).text == text.removeprefix("\ufeff")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [JAPANESE, CHINESE, PROSE["cp949"]])
def test_wide_text_of_east_asia_without_a_mark_is_read(encoding, text):
    for times in (1, 20):
        assert decode((text + "\n").encode(encoding) * times).text == (text + "\n") * times


def test_chinese_in_seven_bits_is_read():
    assert decode((CHINESE + "\n").encode("hz") * 2).text == (CHINESE + "\n") * 2
    code = "a = {~b} if ~{c} else d\n"
    assert decode(code.encode()).text == code


@pytest.mark.parametrize("other", ["gb18030", "cp950", "cp932", "koi8-r", "cp1251"])
def test_lines_of_two_encodings_in_one_file_are_both_read(other):
    theirs = PROSE[other] + "\n"
    data = ("Größe κ 中文\n".encode() + theirs.encode(other)) * 3
    assert decode(data).text == ("Größe κ 中文\n" + theirs) * 3


def test_two_programs_of_western_europe_wrote_one_table():
    data = b"name,town\n" + "Müller,Köln\n".encode() + "Müller,Köln\n".encode("cp1252")
    assert decode(data).text == "name,town\nMüller,Köln\nMüller,Köln\n"


def test_one_foreign_line_in_a_long_english_log_is_read():
    log = "12:00:01 worker started\n" * 20_000
    assert decode(log.encode() + CHINESE.encode("gb18030")).text == log + CHINESE


def test_a_last_letter_is_not_taken_for_a_torn_character():
    assert decode("a small café".encode("cp1252")).text == "a small café"


def test_the_two_encodings_of_central_europe_are_told_apart():
    text = "Příliš žluťoučký kůň úpěl ďábelské ódy. Klíče odevzdejte vrátnému."
    assert decode(text.encode("iso-8859-2")).text == decode(text.encode("cp1250")).text == text


def test_utf_8_as_databases_write_it_is_mended():
    halves = "\ud83d\ude00".encode("utf-8", "surrogatepass")
    assert decode("Größe ".encode() + halves + b"\xc0\x80 end").text == "Größe 😀 end"


def test_messages_whose_fields_are_parted_by_controls_are_text():
    text = "8=FIX.4.2\x019=65\x0135=A\x01\n" * 20
    assert decode(text.encode()).text == text


@pytest.mark.parametrize("encoding", ["cp437", "cp850", "mac_roman"])
def test_old_texts_of_western_europe_are_not_taken_for_words_of_two_scripts(encoding):
    text = "Größe und Straße über Köln, schöne Übung.\n"
    assert decode(text.encode(encoding)).text == text


def test_rare_chinese_characters_of_four_bytes_are_read():
    for text in ("㐀㐁 𠀀𠀁 龘", "人名：㑇㒖㘎𪛖、𠮷。"):
        assert decode(text.encode("gb18030")).text == text
    assert decode("a2b3 é1é2 ü".encode("cp1252")).text == "a2b3 é1é2 ü"
