import os
import resource
import threading
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.engines.kv_file import read_state, read_tokens, write

OURS, THEIRS = b"o" * 32, b"t" * 32
TOKENS = array("i", range(200)).tobytes()
STATE = bytearray(os.urandom(5_000_000))


def never():
    return False


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.kv"
    assert write(path, OURS, TOKENS, STATE, never)
    return path


def test_what_was_written_is_read_and_nothing_else_is_left(path):
    assert read_tokens(path, OURS) == TOKENS
    assert read_state(path, OURS, TOKENS) == STATE
    assert list(path.parent.iterdir()) == [path]


def test_only_its_owner_may_read_it(path):
    assert path.stat().st_mode & 0o077 == 0


def test_a_file_of_another_model_or_for_other_tokens_is_refused(path):
    with pytest.raises(ValueError, match="another model"):
        read_tokens(path, THEIRS)
    with pytest.raises(ValueError, match="other tokens"):
        read_state(path, OURS, TOKENS[:-4])


@settings(max_examples=60)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_every_changed_bit_is_noticed(place, bit, tmp_path_factory):
    path = tmp_path_factory.mktemp("kv") / "a.kv"
    write(path, OURS, TOKENS[:40], STATE[:300], never)
    raw = bytearray(path.read_bytes())
    raw[int(place * len(raw))] ^= 1 << bit
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=r"early|size|damaged|another|other"):
        read_state(path, OURS, TOKENS[:40])


@pytest.mark.parametrize("size", [0, 1, 119, 120, 500, 1_000_000, -1])
def test_every_torn_file_is_refused_before_its_state_is_read(path, size):
    os.truncate(path, path.stat().st_size + size if size < 0 else size)
    with pytest.raises(ValueError, match=r"early|size|damaged"):
        read_tokens(path, OURS)


def test_a_file_with_something_behind_it_is_refused(path):
    with path.open("ab") as file:
        file.write(b"more")
    with pytest.raises(ValueError, match="size"):
        read_tokens(path, OURS)


def test_what_is_no_file_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe.kv")
    (tmp_path / "folder.kv").mkdir()
    for name in ("pipe.kv", "folder.kv", "missing.kv"):
        with pytest.raises((OSError, ValueError)):
            read_tokens(tmp_path / name, OURS)


def test_somebody_who_comes_ends_the_writing_and_the_old_file_stays(path):
    looks = iter([False, True])
    assert not write(path, OURS, TOKENS[:40], STATE, lambda: next(looks))
    assert read_tokens(path, OURS) == TOKENS
    assert list(path.parent.iterdir()) == [path]


def test_a_disk_that_takes_only_a_part_leaves_no_file(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            write(tmp_path / "a.kv", OURS, TOKENS, STATE, never)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_two_who_write_the_same_leave_one_whole_file(tmp_path):
    path = tmp_path / "a.kv"
    threads = [
        threading.Thread(target=write, args=(path, OURS, TOKENS, STATE, never)) for _ in "ab"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read_state(path, OURS, TOKENS) == STATE
