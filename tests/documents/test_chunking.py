"""Documents cut into passages: limits, offsets, coverage, structure."""

import itertools

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from webapp.documents.boundaries import is_visible
from webapp.documents.chunking import Chunk, Chunking, chunking_from, chunks
from webapp.documents.document import Document, Place
from webapp.documents.graphemes import is_boundary
from webapp.errors import BadSetting

PIECES = (
    *("a", "word ", "One. ", "Two! ", " ", "\n", "\n\n", "\r\n", "  " * 20, ", "),
    *("é", "e\u0301", "\u200d", "\u200b", "\U0001f468", "\U0001f1e9", "\u0301" * 30, "\x00"),
    *("今天。", "合同", "\u1100\u1161", "क्षि", "\ud800", "ab | cd\n"),
)
KINDS = ("heading", "slide", "sheet", "rows", "page", "message", "columns")


@st.composite
def documents(draw):
    text = "".join(draw(st.lists(st.sampled_from(PIECES), max_size=60)))
    places = []
    for kind in draw(st.sets(st.sampled_from(KINDS), max_size=3)):
        edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=4)))
        places += [
            Place(start, end, kind, f"L{start}", 1) for start, end in itertools.pairwise(edges)
        ]
    return Document(text, tuple(sorted(places, key=lambda place: (place.start, -place.end))))


cuttings = st.builds(
    Chunking, st.integers(1, 50), st.integers(0, 60), st.sampled_from(["plain", "structure"])
)


@given(documents(), cuttings)
@example(Document("\u0301" * 9 + "b "), Chunking(7, 11))
@settings(max_examples=80, deadline=None)
def test_every_visible_character_is_in_a_passage_that_says_where_it_stands(document, chunking):
    found = list(chunks(document, chunking))
    assert [chunk.order for chunk in found] == list(range(len(found)))
    covered = set()
    for chunk in found:
        assert document.text[chunk.start : chunk.end] == chunk.text
        assert len(chunk.text) <= chunking.size
        assert is_visible(chunk.text)
        covered.update(range(chunk.start, chunk.end))
    assert all(at in covered for at, sign in enumerate(document.text) if is_visible(sign))


@given(documents(), cuttings)
@settings(max_examples=80, deadline=None)
def test_each_passage_goes_on_and_repeats_no_more_than_it_may(document, chunking):
    for one, two in itertools.pairwise(chunks(document, chunking)):
        assert one.start < two.start
        assert one.end < two.end
        step = max(1, chunking.size - chunking.overlap)
        assert one.end - two.start <= max(chunking.overlap, 0) or step == 1


@given(st.text(alphabet="ab \n.é\u0301\u200d\U0001f468\U0001f1e9", max_size=200))
@settings(max_examples=100, deadline=None)
def test_no_passage_begins_or_ends_inside_of_a_character(text):
    edges = [at for at in range(len(text) + 1) if is_boundary(text, at)]
    assume(all(two - one < 32 for one, two in itertools.pairwise(edges)))
    for chunk in chunks(Document(text), Chunking(64, 16)):
        assert {chunk.start, chunk.end} <= set(edges)


@pytest.mark.parametrize(
    ("size", "overlap", "starts"),
    [
        (10, 0, [0, 10, 20, 30, 40]),
        (10, 9, list(range(41))),
        (10, 10, list(range(41))),
        (10, 15, list(range(41))),
        (20, 5, [0, 15, 30]),  # the next would be made of the overlap alone
        (1, 0, list(range(50))),
        (64, 8, [0]),
    ],
)
def test_plain_windows_stand_where_the_study_says(size, overlap, starts):
    text = "0123456789" * 5
    found = list(chunks(Document(text), Chunking(size, overlap, "plain")))
    assert [chunk.start for chunk in found] == starts
    assert all(chunk.text == text[chunk.start :][:size] for chunk in found)


def test_plain_windows_without_anything_visible_are_left_out():
    found = list(chunks(Document("ab" + " " * 10 + "cd"), Chunking(4, 0, "plain")))
    assert [(chunk.order, chunk.text) for chunk in found] == [(0, "ab  "), (1, "cd")]


@pytest.mark.parametrize("text", ["", " \n ", "\u200b" * 2000])
def test_a_document_without_visible_text_has_no_passages(text):
    assert list(chunks(Document(text))) == []


def test_emoji_flags_and_marks_stay_whole_over_many_passages():
    text = ("e\u0301\U0001f468\u200d\U0001f469\u200d\U0001f467\U0001f1e9\U0001f1ea가" * 300)[:2000]
    for chunk in chunks(Document(text)):
        chunk.text.encode()
        assert chunk.text[0] in "e\U0001f468\U0001f1e9가"


def test_a_log_line_of_80_000_characters_is_cut_and_nothing_of_it_is_lost():
    text = "start of log\n" + "sensor=7;" * 9000 + "\nend of log\n"
    found = list(chunks(Document(text), Chunking(512, 0)))
    assert max(len(chunk.text) for chunk in found) <= 512
    assert "".join(chunk.text for chunk in found).replace("\n", "") == text.replace("\n", "")


def test_prose_is_cut_between_sentences_and_repeats_one_of_them():
    text = " ".join(f"Sentence number {number} tells of the sea." for number in range(40))
    found = list(chunks(Document(text), Chunking(200, 64)))
    assert all(chunk.text.startswith("Sentence") for chunk in found)
    assert all(chunk.text.endswith("sea.") for chunk in found)
    assert all(two.start < one.end for one, two in itertools.pairwise(found))


def test_no_passage_reaches_over_a_slide_or_a_sheet():
    text = "First slide.\nSecond slide.\nA sheet."
    places = (Place(0, 13, "slide", "1", 1), Place(13, 27, "slide", "2", 2))
    found = list(chunks(Document(text, (*places, Place(27, 35, "sheet", "S", 1)))))
    assert [chunk.text for chunk in found] == ["First slide.", "Second slide.", "A sheet."]
    assert [place.label for chunk in found for place in chunk.places] == ["1", "2", "S"]


def test_a_long_section_stands_alone_and_a_lone_title_goes_with_what_follows():
    title, one, two = "Title\n", "One\n" + "words " * 40 + "\n", "Two\n" + "more " * 40
    starts = (0, len(title), len(title + one))
    text = title + one + two
    places = tuple(
        Place(start, end, "heading", label, 1)
        for start, end, label in zip(
            starts, (*starts[1:], len(text)), ("Title", "One", "Two"), strict=True
        )
    )
    found = list(chunks(Document(text, places)))
    assert [chunk.text.split()[:2] for chunk in found] == [["Title", "One"], ["Two", "more"]]


def test_a_passage_knows_its_section_and_the_header_of_its_table():
    rows = "".join(f"Kettle {number} | {number * 3}\n" for number in range(60))
    text = "Product | Price\n" + rows
    places = (
        Place(0, len(text), "sheet", "Orders", 1),
        Place(0, len(text), "columns", "Product | Price"),
        Place(0, len(text), "rows", "", 1),
    )
    first, *others = chunks(Document(text, places), Chunking(128, 64))
    assert first.context == ""  # the header stands in it
    assert {chunk.context for chunk in others} == {"Product | Price"}
    assert others[0].searched.startswith("Product | Price\nKettle")
    assert all(line.count(" | ") == 1 for chunk in others for line in chunk.text.split("\n"))
    labels = [place.label for place in others[-1].places if place.kind == "rows"]
    assert labels[0].endswith("–61")


def test_settings_come_under_new_names_then_old_ones_then_by_default():
    assert chunking_from({}) == Chunking(512, 64, "structure")
    assert chunking_from({"chunk_size_tokens": 300, "overlap_tokens": 30}) == Chunking(300, 30)
    old_and_new = {"chunk_size_chars": "128", "chunk_size_tokens": 300, "overlap_chars": 0}
    assert chunking_from({**old_and_new, "chunk_cut": "plain"}) == Chunking(128, 0, "plain")
    assert chunking_from({"overlap_chars": 0, "overlap_tokens": 30}).overlap == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("chunk_size_chars", 63),
        ("chunk_size_chars", 8193),
        ("chunk_size_tokens", "many"),
        ("chunk_size_chars", True),
        ("overlap_chars", -1),
        ("overlap_tokens", 1025),
        ("overlap_chars", float("inf")),
        ("chunk_cut", "fine"),
    ],
)
def test_a_setting_out_of_its_range_is_refused_in_a_sentence(name, value):
    with pytest.raises(BadSetting) as error:
        chunking_from({name: value})
    assert error.value.do.startswith("Choose")


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, -1)])
def test_windows_of_no_length_are_refused(size, overlap):
    with pytest.raises(BadSetting):
        Chunking(size, overlap)


def test_what_is_searched_says_the_context_first():
    assert Chunk(0, 0, 4, "text", (), "Title").searched == "Title\ntext"
    assert Chunk(0, 0, 4, "text").searched == "text"
