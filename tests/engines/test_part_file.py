"""Downloads that are not whole yet."""

import pytest

from webapp.engines.part_file import PartFile


@pytest.fixture
def part(tmp_path):
    return PartFile(tmp_path / "model.gguf")


def test_nothing_fetched_has_no_size_and_no_pieces(part):
    assert part.size() == 0
    assert part.pieces("source") == 0


def test_pieces_are_counted_again_after_a_restart(part):
    part.append([b"one", b"two"])
    part.piece_done("source", 1)
    part.append([b"torn"])
    again = PartFile(part.target)
    assert again.pieces("source") == 1
    assert again.path.read_bytes() == b"onetwo"


def test_pieces_of_another_source_do_not_count(part):
    part.append([b"one"])
    part.piece_done("source", 1)
    assert part.pieces("other source") == 0
    assert part.size() == 0


def test_a_part_shorter_than_its_journal_begins_anew(part):
    part.append([b"one piece"])
    part.piece_done("source", 1)
    part.cut(3)
    assert part.pieces("source") == 0


@pytest.mark.parametrize(
    "journal",
    [
        "",
        "{",
        "[]",
        "null",
        "\x00" * 40,
        '{"source": "source"}',
        '{"source": "source", "pieces": "2", "bytes": 0}',
    ],
)
def test_a_journal_that_says_nothing_is_no_journal(part, journal):
    part.append([b"one"])
    (part.path.parent / "model.gguf.part.json").write_text(journal)
    assert part.pieces("source") == 0


def test_a_whole_part_takes_its_place_and_leaves_nothing(part, tmp_path):
    part.append([b"all of it"])
    part.piece_done("source", 1)
    part.target.write_bytes(b"an older one")
    part.become_whole()
    assert [path.name for path in tmp_path.iterdir()] == ["model.gguf"]
    assert part.target.read_bytes() == b"all of it"


def test_a_discarded_part_is_gone(part, tmp_path):
    part.append([b"x"])
    part.piece_done("source", 1)
    part.discard()
    part.discard()
    assert list(tmp_path.iterdir()) == []
