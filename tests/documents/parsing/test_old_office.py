import pytest

from tests.documents.parsing.made import ole
from webapp.documents.parsing.old_office import has_stream, is_locked_workbook, refusal
from webapp.documents.parsing.parser import Source


@pytest.mark.parametrize(
    ("stream", "code", "advice"),
    [
        ("EncryptedPackage", "password", "Remove the protection"),
        ("WordDocument", "unsupported", "Save it as .docx"),
        ("PowerPoint Document", "unsupported", "Save it as .pptx"),
        ("__nameid_version1.0", "unsupported", "Save it as .eml"),
        ("Other", "unsupported", "What can be read"),
    ],
)
def test_the_streams_inside_say_why_it_is_not_read(tmp_path, stream, code, advice):
    path = tmp_path / "0"
    path.write_bytes(ole("Root Entry", stream))
    error = refusal(Source(path, "x.docx"))
    assert error.code == code
    assert advice in error.do


def test_a_name_in_the_text_of_a_document_is_no_stream():
    data = ole("WordDocument", more=b"about the " + "EncryptedPackage".encode("utf-16-le"))
    assert not has_stream(data, "EncryptedPackage")
    assert has_stream(data, "WordDocument")


def test_a_lock_is_a_record_at_the_start_of_the_workbook():
    start = bytes.fromhex("0908100000060500") + bytes(12)
    assert is_locked_workbook(bytes(512) + start + bytes.fromhex("2f000200aaaa"))
    assert not is_locked_workbook(bytes(512) + start + bytes.fromhex("e1000200b004") * 4)
    assert not is_locked_workbook(b"\1" + start)
    assert not is_locked_workbook(b"")
