import pytest

from tests.documents.parsing.made import SAMPLES
from tests.documents.parsing.parser_contract import ParserContract
from webapp.documents.parsing.choosing import chosen, parse
from webapp.documents.parsing.mail import MailParser
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.plain import PlainParser


class TestMail(ParserContract):
    parser = MailParser
    expected = (
        "From: Alice Example",
        "Résumé of the meeting 会议",
        "The owner is Priya.",
        "list.txt",
    )

    @pytest.fixture
    def sample(self):
        return SAMPLES / "meeting.eml", "meeting.eml"


@pytest.fixture
def read(tmp_path):
    def of(data, name="x.eml"):
        path = tmp_path / "0"
        path.write_bytes(data)
        return parse(Source(path, name))

    return of


def test_what_is_attached_is_named_and_said_not_to_be_read():
    document = parse(Source(SAMPLES / "meeting.eml", "m.eml"))
    assert "nails" not in document.text
    assert "Attached: list.txt" in document.text
    assert len(document.notes) == 1
    assert document.title == "Résumé of the meeting 会议"


def test_a_mail_of_html_only_is_read_as_its_reader_saw_it(read):
    data = (
        b"Subject: S\nMIME-Version: 1.0\nContent-Type: text/html; charset=iso-8859-1\n\n"
        b"<style>x</style><p>caf\xe9 <b>bold</b></p>"
    )
    assert read(data).text == "Subject: S\n\ncafé bold"


def test_old_charsets_and_wrong_ones_do_no_harm(read):
    head = b"Subject: S\nContent-Type: text/plain; charset=%s\n\n"
    assert "привет, как дела" in read(head % b"koi8-r" + "привет, как дела".encode("koi8-r")).text
    assert "hello" in read(head % b"x-unknown" + b"hello").text


def test_broken_headers_are_shown_as_far_as_they_go(read):
    text = read(b"From: =?utf-8?b?broken\nTo: <a@\nDate: yesterday?\nSubject:\n\nbody").text
    assert text.endswith("body")
    assert "yesterday?" in text


def test_a_mail_without_an_ending_is_known_by_its_first_lines(tmp_path):
    path = tmp_path / "0"
    path.write_bytes(b"Received: from x\n\tby y\nFrom: a@example.com\nSubject: S\n\nbody: text")
    assert type(chosen(Source(path, "letter"))) is MailParser
    path.write_bytes(b"From: here\nthe road goes on\nTo: there\n\nx")
    assert type(chosen(Source(path, "letter"))) is PlainParser


def test_a_part_that_is_no_text_does_not_spoil_the_others(read):
    data = (
        b'Subject: S\nContent-Type: multipart/mixed; boundary="b"\n\n'
        b"--b\nContent-Type: text/plain\n\nwords\n"
        b'--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename="b\xff.bin"\n\n'
        + bytes(range(32))
        + b"\n--b--\n"
    )
    assert "words" in read(data).text


HEAD = b"From: a@example.org\nSubject: S\nMIME-Version: 1.0\n"


def mixed(*parts, kind=b"mixed"):
    inside = b"".join(b"--b\n" + part + b"\n" for part in parts)
    return HEAD + b"Content-Type: multipart/" + kind + b"; boundary=b\n\n" + inside + b"--b--\n"


def test_a_forwarded_mail_is_read_too(read):
    inner = HEAD.replace(b"S\n", b"Inner\n") + b"\nthe inner words\n"
    text = read(mixed(b"\nsee below", b"Content-Type: message/rfc822\n\n" + inner)).text
    assert text.index("see below") < text.index("Subject: Inner") < text.index("the inner words")
    assert text.count("the inner words") == 1


def test_where_the_plain_text_says_nothing_the_html_counts(read):
    html = b"Content-Type: text/html\n\n<p>only in HTML</p>"
    assert "only in HTML" in read(mixed(b"\n \n", html, kind=b"alternative")).text


def test_raw_bytes_in_a_subject_are_in_the_encoding_of_the_text(read):
    subject = "关于通知"
    data = f"From: a@example.org\nSubject: {subject}\n\n请查收附件，谢谢大家的配合\n"
    document = read(data.encode("gbk"))
    assert document.title == subject
    assert "\ufffd" not in document.text


def test_a_text_that_is_encrypted_is_said_not_to_be_read(read):
    document = read(mixed(b"Content-Type: application/pgp-encrypted\n\nx", kind=b"encrypted"))
    assert document.notes == ("The text of this e-mail is encrypted and was not read.",)


def test_texts_between_pictures_are_all_read_and_those_that_say_the_same_once(read):
    part = "--X\nContent-Type: text/plain\n\n{}\n"
    both = "--X\nContent-Type: multipart/alternative; boundary=Y\n\n--Y\n\nThird.\n--Y\n"
    data = (
        "Subject: S\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=X\n\n"
        + part.format("First.")
        + "--X\nContent-Type: image/png\nContent-Disposition: inline; filename=a.png\n\nx\n"
        + part.format("Second.")
        + both
        + "Content-Type: text/html\n\n<p>Third.</p>\n--Y--\n"
        + "--X\nContent-Type: text/plain; name=b.txt\n\nattached words\n--X--\n"
    )
    said = ("Subject: S", "First.", "Second.", "Third.", "Attached: a.png, b.txt")
    assert read(data.encode()).text == "\n\n".join(said)


def test_a_mailbox_is_all_of_its_mails(read):
    begin = "From a@b.c Mon Nov  3 10:00:00 2025\n"
    subject = "Subject: =?utf-8?B?R3LDvMOfZQ==?="
    one = f"{subject}\nContent-Transfer-Encoding: quoted-printable\n\nSch=C3=B6n\n"
    two = "Subject: Two\n\nFrom here on we walk.\n\nFrom Ada, in 2024 or so\n"
    for end in ("\n", "\r\n"):
        document = read(f"{begin}{one}\n{begin}{two}".replace("\n", end).encode(), "all.mbox")
        assert [place.label for place in document.places] == ["Grüße", "Two"]
        assert "Schön" in document.text
        assert "we walk.\n\nFrom Ada" in document.text
