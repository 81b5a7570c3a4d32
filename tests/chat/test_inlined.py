"""Files whose text stands in a message."""

import pytest

from tests.chat.windows import message
from webapp.chat.inlined import InlinedFile, block, file_names, inlined_files


def test_files_come_in_order_with_a_header_each():
    files = [{"name": "a.txt", "content": "one"}, {"name": "", "content": "two"}]
    found = inlined_files(message("m", inline_file_contents=files))
    assert [block(file) for file in found] == ["File: a.txt\none", "two"]


@pytest.mark.parametrize(
    "value", [None, "text", {"name": "a"}, [None, 3, []], [{"name": 1, "content": 2}]]
)
def test_what_is_no_such_file_is_passed_over(value):
    assert inlined_files(message("m", inline_file_contents=value)) == ()


def test_a_name_with_a_line_break_cannot_make_a_header_of_its_own():
    assert block(InlinedFile("a b", "x")) == "File: a b\nx"
    [file] = inlined_files(
        message("m", inline_file_contents=[{"name": "a\nFile: b", "content": "x"}])
    )
    assert block(file) == "File: a File: b\nx"


def test_names_of_all_files_are_told_once():
    said = message(
        "m",
        inline_file_contents=[{"name": "a.txt", "content": "x"}],
        attachments=[{"name": "a.txt"}, {"name": "big.pdf"}, "junk"],
    )
    assert file_names(said) == ("a.txt", "big.pdf")
