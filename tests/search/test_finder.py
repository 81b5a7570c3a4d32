import pytest

from tests.documents.searching import WordModel, text_vectors
from webapp.search.finder import FILE, LONGEST_SHOWN, PAGE, Finder
from webapp.search.index import Filters, Said

VECTORS = text_vectors(WordModel(dimension=384))


class Nothing:
    def threads(self):
        return []


@pytest.fixture
def finder(tmp_path):
    finder = Finder(tmp_path / "cache", Nothing())
    yield finder
    finder.close()


def find(finder, typed, start=0):
    return finder.find(typed, Filters(), lambda _: True, start)


def test_a_page_says_where_the_next_one_begins(finder):
    rows = [Said("t", f"m{n}", "user", n, f"The tide of day {n}") for n in range(PAGE + 3)]
    finder.index.put("t", rows)
    first = find(finder, "tide")
    assert (len(first.hits), first.next) == (PAGE, PAGE)
    assert [piece.text for piece in first.hits[0].pieces if piece.marked] == ["tide"]
    rest = find(finder, "tide", first.next)
    assert (len(rest.hits), rest.next) == (3, None)
    assert find(finder, "nothing").hits == ()


def test_an_index_that_cannot_be_used_is_told_and_not_a_fault(finder, tmp_path):
    (tmp_path / "cache" / FILE).mkdir(parents=True)
    assert find(finder, "tide").broken


def test_what_is_near_comes_without_what_has_all_the_words(finder):
    texts = {"all": "tide and harbour wall", "some": "tide and harbour", "far": "copper wire"}
    finder.index.put("t", [Said("t", id, "user", 1, text) for id, text in texts.items()])
    finder.meaning.vectors = lambda: VECTORS
    assert finder.near("harbour wall tide", Filters(), lambda _: True).behind == 3
    while finder.reader.read_one():
        pass
    near = finder.near("harbour wall tide", Filters(), lambda _: True)
    assert [hit.said.message_id for hit in near.hits] == ["some"]
    assert (near.behind, near.trouble) == (0, "")
    assert finder.near("harbour wall tide", Filters("assistant"), lambda _: True).hits == ()
    assert finder.near("harbour wall tide", Filters(), lambda id: id != "t").hits == ()


def test_without_a_model_it_says_so_and_words_are_recalled_all_the_same(finder):
    finder.index.put("t", [Said("t", "m", "user", 1, "The zanzibar tide")])
    near = finder.near("tide", Filters(), lambda _: True)
    assert near.hits == () and "no embedding model" in near.trouble
    assert len(finder.recalled("zanzibar", lambda _: True, 4)) == 1


def test_what_is_near_is_recalled_too_and_the_better_score_is_told(finder):
    finder.index.put("t", [Said("t", "m", "user", 1, "The old harbour and its wall")])
    by_words = finder.recalled("the old harbour gate and its wall", lambda _: True, 4)
    finder.meaning.vectors = lambda: VECTORS
    while finder.reader.read_one():
        pass
    [both] = finder.recalled("the old harbour gate and its wall", lambda _: True, 4)
    assert both.score > by_words[0].score


def test_long_parts_are_shown_by_their_beginning(finder):
    finder.index.put("t", [Said("t", "m", "user", 1, "harbour wall " * 40)])
    finder.meaning.vectors = lambda: VECTORS
    while finder.reader.read_one():
        pass
    [hit] = finder.near("harbour keeper", Filters(), lambda _: True).hits
    words = "".join(piece.text for piece in hit.pieces)
    assert words.endswith("wall…") and len(words) <= LONGEST_SHOWN + 1


def test_an_index_that_is_gone_finds_nothing_near(finder, tmp_path):
    (tmp_path / "cache" / FILE).mkdir(parents=True)
    finder.meaning.vectors = lambda: VECTORS
    assert finder.near("tide", Filters(), lambda _: True).trouble
    assert finder.recalled("tide", lambda _: True, 4) == ()
