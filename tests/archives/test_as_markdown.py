"""Everything as texts to read."""

import io
import zipfile

from tests.archives.lives import LEASE
from webapp.archives.as_markdown import AsMarkdown
from webapp.chat.thread_markdown import shown_path


def test_a_thread_is_a_text_with_its_files_beside_it(taken):
    with zipfile.ZipFile(io.BytesIO(taken("shown"))) as archive:
        names = archive.namelist()
        text = archive.read("Flat- 1/The lease- 1-2.md").decode()
        assert archive.read("Flat- 1/The lease- 1-2 files/lease.txt") == LEASE
        assert b"Be exact." in archive.read("Flat- 1/About this project.md")
        assert b"Ask back." in archive.read("Assistants/Tutor.md")
    assert "The lease- 1-2.md" in names
    assert "Flat- 1/Files/house rules.txt" in names
    assert "[lease.txt](<The lease- 1-2 files/lease.txt>)" in text
    assert "Words of a2" not in text


def test_all_versions_come_if_they_are_wanted(taken):
    with zipfile.ZipFile(io.BytesIO(taken("versions", with_files=False))) as archive:
        text = archive.read("The lease- 1-2.md").decode()
    assert "Words of a2" in text
    assert "Another beginning \N{REPLACEMENT CHARACTER}" in text


def test_without_files_they_are_named_only(taken):
    with zipfile.ZipFile(io.BytesIO(taken("shown", with_files=False))) as archive:
        assert all(name.endswith(".md") for name in archive.namelist())
        assert b"- lease.txt, 69 bytes" in archive.read("Flat- 1/The lease- 1-2.md")


def test_threads_of_one_title_have_a_text_each(stock):
    writing = AsMarkdown(stock, shown_path, with_files=True)
    names = []
    for id in ("lived", "other", "other"):
        names += [entry.name for entry in writing.thread(*stock.whole(id))]
    assert names == [
        "The lease- 1-2.md",
        "The lease- 1-2 files/lease.txt",
        "The lease- 1-2 (2).md",
        "The lease- 1-2 (3).md",
    ]
