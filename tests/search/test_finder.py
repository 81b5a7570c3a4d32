import pytest

from webapp.search.finder import FILE, PAGE, Finder
from webapp.search.index import Filters, Said


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
