"""Files in words."""

import pytest

from webapp.documents.board import OVER, FileState
from webapp.documents.document import Place
from webapp.documents.file_facts import FileFacts
from webapp.documents.passages import Passage
from webapp.web.files_shown import (
    FilesShown,
    PassageShown,
    doing,
    facts_of,
    part_of,
    size_words,
)


def file(stage="ready", done=0, total=0, name="a.pdf", **facts):
    return FileState(FileFacts("f1", name, **facts), stage, done, total)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (file("uploading", 1_200_000, 3_000_000), "Storing 1.2 MB of 3.0 MB"),
        (file("uploading"), "Storing"),
        (file("waiting"), "Waiting for its turn"),
        (file("reading", 11, 300), "Reading page 12 of 300"),
        (file("reading", 300, 300), "Reading page 300 of 300"),
        (file("reading", 0, 0), "Reading"),
        (file("reading", 1, 9, name="talk.PPTX"), "Reading slide 2 of 9"),
        (file("pictures", 0, 1200), "Reading picture 1 of 1,200"),
        (file("cutting"), "Cutting into passages"),
        (file("embedding", 120, 560), "Embedding 120 of 560"),
        (file("ready"), "Ready"),
        (file("rejected"), "Cannot be used"),
        (file("stopped", 3, 5), "Stopped"),
        (file("damaged"), "Damaged"),
    ],
)
def test_where_a_file_stands_is_said_with_its_progress(state, words):
    assert doing(state) == words


def test_sheets_and_slides_are_called_so():
    assert [part_of(name) for name in ("a.xlsx", "a.ods", "a.pptx", "a", "a.txt")] == [
        "sheet",
        "sheet",
        "slide",
        "page",
        "page",
    ]


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (812, "812 bytes"),
        (64_400, "64 KB"),
        (999_499, "999 KB"),
        (999_500, "1.0 MB"),
        (20_971_520, "21.0 MB"),
    ],
)
def test_sizes_are_short(size, words):
    assert size_words(size) == words


def test_a_file_is_described_by_type_size_pages_and_passages():
    details = (("format", "PDF"), ("pages", "1"))
    known = file(size=2000, chunks=1200, details=details)
    assert facts_of(known) == ["PDF", "2 KB", "1 page", "1,200 passages"]
    assert facts_of(file("waiting", name="notes.tar.gz", size=5)) == ["GZ", "5 bytes"]
    assert facts_of(file("rejected", name=".hidden")) == []
    assert facts_of(file(name="x", details=(("pages", "many"),))) == ["many pages"]


def test_the_end_of_all_work_is_summed_up_once():
    def shown(*stages):
        return FilesShown("t", tuple(file(stage) for stage in stages))

    assert shown().summary == ""
    assert shown("ready", "reading").summary == ""
    assert shown("ready").summary == "1 file ready."
    assert (
        shown("ready", "ready", "rejected").summary == "2 files ready, 1 file cannot be searched."
    )
    assert shown("rejected", "stopped").summary == "2 files cannot be searched."
    assert not any(shown(stage).busy for stage in OVER)


def test_above_the_next_question_stands_what_came_since_the_last_or_is_in_work():
    old, late, slow = file(added_ms=5), file(added_ms=9), file("reading", added_ms=5)
    assert FilesShown("t", (old, late, slow), asked_ms=7).beside == (late, slow)
    assert FilesShown("t", (old, late)).beside == (old, late)


def test_how_a_file_is_used_follows_the_path():
    ready = file()
    assert FilesShown("t", (ready,)).used(ready) == "Searched"
    assert "whole" in FilesShown("t", (ready,), frozenset({"f1"})).used(ready)
    assert FilesShown("t").used(file("stopped")) == ""


def test_a_passage_knows_its_place_and_its_bar():
    passage = Passage("f1-0", "f1", 0, "x", 0, 1, (Place(0, 1, "page", "12"),), "a.pdf", 0.724)
    shown = PassageShown(passage, is_sent=True)
    assert (shown.place, shown.percent) == ("p. 12", 72)
