import os
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.engines.kv_shelf import KvShelf, shared_beginning, usable

OURS, THEIRS = b"o" * 32, b"t" * 32
MIB = 1 << 20
QUOTA = 10 * MIB
TOKENS = st.lists(st.integers(0, 2), max_size=12)


def row(*parts):
    """Tokens as the shelf takes them: numbers, or (number, how many times)."""
    tokens = array("i")
    for part in parts:
        token, times = part if isinstance(part, tuple) else (part, 1)
        tokens.extend([token] * times)
    return tokens.tobytes()


def shelf_in(folder, *, quota=QUOTA, identity=OURS, partly=True):
    return KvShelf(folder, quota, identity, partly=partly)


def kept(shelf, tokens, state=b"state"):
    shelf.save(tokens, bytearray(state), lambda: False)
    return tokens


def files(folder):
    return sorted(folder.rglob("*.kv"))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "kv"


@pytest.fixture
def shelf(folder):
    return shelf_in(folder)


def test_the_file_that_shares_most_is_found_and_so_again_after_a_restart(folder, shelf):
    kept(shelf, row((1, 100), (2, 50)))
    kept(shelf, row((1, 100), (3, 50)), b"other")
    for each in (shelf, shelf_in(folder)):
        found = each.best(row((1, 100), (3, 40), 4), 1)
        assert found.shared == 140
        assert each.lend(found) == b"other"
        each.take_back(found, usable=True)
    assert len(files(folder)) == 2


def test_a_file_that_shares_too_little_is_not_offered(shelf):
    kept(shelf, row((1, 100)))
    assert shelf.best(row((1, 63), 2), 64) is None
    assert shelf.best(row(2), 0) is None
    assert shelf.best(b"", 0) is None


def test_a_model_that_forgets_only_all_is_offered_only_whole_states(folder):
    shelf = shelf_in(folder, partly=False)
    kept(shelf, row((1, 100)))
    kept(shelf, row((1, 150)))
    assert len(files(folder)) == 2, "the shorter one is not made needless"
    assert shelf.best(row((1, 120)), 1).shared == 100
    assert shelf.best(row((1, 99)), 1) is None
    assert shelf.is_kept(row((1, 150)))
    assert not shelf.is_kept(row((1, 149)))


def test_a_longer_state_of_the_same_branch_takes_the_place_of_the_shorter(folder, shelf):
    kept(shelf, row((1, 100)))
    kept(shelf, row((1, 100), (2, 100)))
    assert len(files(folder)) == 1
    assert shelf.best(row((1, 500)), 1).shared == 100


def test_each_tip_keeps_its_own(folder, shelf):
    kept(shelf, row((1, 100), (2, 100)))
    kept(shelf, row((1, 100), (3, 100)))
    assert len(files(folder)) == 2


def test_what_is_kept_already_is_known(shelf):
    kept(shelf, row((1, 200)))
    assert shelf.is_kept(row((1, 200)))
    assert shelf.is_kept(row((1, 150)))
    assert shelf.is_kept(row((1, 200), (2, 15)))
    assert not shelf.is_kept(row((1, 200), (2, 16)))


def test_the_least_used_goes_when_the_quota_is_reached(folder, shelf):
    for number in range(3):
        kept(shelf, row((number, 100)), bytes(3 * MIB))
        os.utime(newest(folder), (number, number + 1_900_000_000))
    shelf.best(row((0, 100)), 1)
    oldest = min(files(folder), key=lambda path: path.stat().st_mtime)
    os.utime(shelf.best(row((0, 100)), 1).path, (3, 1_900_000_009))
    kept(shelf, row((9, 100)), bytes(3 * MIB))
    assert len(files(folder)) == 3
    assert sum(path.stat().st_size for path in files(folder)) <= QUOTA
    assert shelf.best(row((0, 100)), 1)
    assert shelf.best(row((9, 100)), 1)
    assert oldest in files(folder) or not shelf.best(row((1, 100)), 1)


def newest(folder):
    return max(files(folder), key=lambda path: path.stat().st_ctime_ns)


def test_the_quota_is_for_all_models_together(folder, shelf):
    other = shelf_in(folder, identity=THEIRS)
    kept(other, row((1, 100)), bytes(6 * MIB))
    kept(shelf, row((1, 100)), bytes(6 * MIB))
    assert len(files(folder)) == 1
    assert shelf.best(row((1, 100)), 1)
    assert other.lend(other.best(row((1, 100)), 1)) is None


def test_what_is_larger_than_the_quota_is_not_written_and_takes_nothing_away(folder, shelf):
    kept(shelf, row((1, 100)))
    kept(shelf, row((2, 100)), bytes(QUOTA + 1))
    assert len(files(folder)) == 1


def test_a_smaller_quota_holds_from_the_start(folder, shelf):
    for number in range(3):
        kept(shelf, row((number, 100)), bytes(3 * MIB))
    shelf_in(folder, quota=4 * MIB)
    assert len(files(folder)) == 1


@pytest.mark.parametrize("damage", ["tail", "state", "gone", "folder"])
def test_a_damaged_file_gives_nothing_and_is_gone(folder, shelf, damage):
    kept(shelf, row((1, 100)), bytes(1000))
    (path,) = files(folder)
    found = shelf.best(row((1, 100)), 1)
    spoil(path, damage)
    assert shelf.lend(found) is None
    assert shelf.best(row((1, 100)), 1) is None
    assert not path.is_file()


def spoil(path, damage):
    raw = path.read_bytes()
    path.unlink()
    if damage == "tail":
        path.write_bytes(raw[:-1])
    elif damage == "state":
        path.write_bytes(raw[:-1] + b"x")
    elif damage == "folder":
        path.mkdir()


def test_what_is_not_ours_is_removed_at_the_start(folder, shelf):
    kept(shelf, row((1, 100)))
    (path,) = files(folder)
    path.with_name("foreign.kv").write_bytes(b"GGUF" * 100)
    path.with_name("part.1.part").write_bytes(b"torn")
    again = shelf_in(folder)
    assert files(folder) == [path]
    assert list(path.parent.iterdir()) == [path]
    assert again.best(row((1, 100)), 1)


def test_a_state_that_ended_the_engine_is_not_tried_again(folder, shelf):
    kept(shelf, row((1, 100)))
    shelf.lend(shelf.best(row((1, 100)), 1))
    assert shelf_in(folder).best(row((1, 100)), 1) is None
    assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_a_state_the_engine_did_not_take_is_gone(folder, shelf):
    kept(shelf, row((1, 100)))
    found = shelf.best(row((1, 100)), 1)
    shelf.lend(found)
    shelf.take_back(found, usable=False)
    assert shelf.best(row((1, 100)), 1) is None
    assert files(folder) == []


def test_what_was_not_used_for_a_month_is_gone(folder, shelf):
    kept(shelf, row((1, 100)))
    os.utime(files(folder)[0], (0, 0))
    shelf_in(folder)
    assert files(folder) == []


def test_a_place_that_cannot_be_written_is_no_failure(tmp_path):
    (tmp_path / "kv").write_text("a file where a folder should be")
    shelf = shelf_in(tmp_path / "kv")
    kept(shelf, row((1, 100)))
    assert shelf.best(row((1, 100)), 1) is None


def test_a_folder_deleted_meanwhile_is_made_again(folder, shelf):
    kept(shelf, row((1, 100)))
    for path in files(folder):
        path.unlink()
        path.parent.rmdir()
    folder.rmdir()
    assert shelf.lend(shelf.best(row((1, 100)), 1)) is None
    kept(shelf, row((1, 100)))
    assert len(files(folder)) == 1


@given(TOKENS, TOKENS)
def test_the_common_beginning_is_what_looking_one_by_one_finds(one, other):
    same = [a == b for a, b in zip(one, other, strict=False)] + [False]
    assert shared_beginning(row(*one), row(*other)) == same.index(False)
    assert usable(row(*one), row(*other), partly=False) in (0, len(one))
