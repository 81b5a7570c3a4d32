"""What names in a table's folder tell."""

from tests.documents.searching import numbered, unit
from webapp.documents.lance import LanceTables
from webapp.documents.lance_folder import is_untidy, keeps_deleted, mark


def test_a_change_makes_another_mark_and_leaves_something_behind(tmp_path):
    lance, folder = LanceTables(tmp_path), tmp_path / "t.lance"
    assert mark(folder) is None
    assert not is_untidy(folder)
    lance.add("t", "space", "f1", numbered(40), unit(40))
    before = mark(folder)
    assert not keeps_deleted(folder)
    lance.add("t", "space", "f2", numbered(2), unit(2))
    lance.remove("t", ["f2"])
    assert mark(folder) != before
    assert is_untidy(folder)


def test_a_few_deleted_rows_stay_in_a_file_that_goes_on(tmp_path):
    lance, folder = LanceTables(tmp_path), tmp_path / "t.lance"
    lance.add("t", "space", "f1", numbered(40), unit(40))
    lance._open("t").delete("ordinal = 7")
    assert keeps_deleted(folder)
    lance.optimize("t")
    assert not keeps_deleted(folder)
