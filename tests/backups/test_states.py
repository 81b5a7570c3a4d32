"""Lists of files: what is written is read, and nothing else is taken for one."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.backups.states import PIECE, Entry, State, decode, encode
from webapp.errors import Conflict, Damaged

A, B = "a" * 64, "b" * 64
NAMES = st.text(
    st.characters(blacklist_characters="/\0", blacklist_categories=()), min_size=1, max_size=20
).filter(lambda name: name not in (".", ".."))


def sealed(**changes):
    value = {
        "format": 1,
        "made": 5,
        "strata": "1",
        "of": "",
        "fresh": 0,
        "folders": {},
        "files": [],
    }
    line = json.dumps({**value, **changes}).encode()
    return line + b"\n" + hashlib.sha256(line).hexdigest().encode() + b"\n"


@given(NAMES, st.integers(0, 3 * PIECE), st.integers(0, 0o777))
def test_a_list_comes_back_as_it_was(name, size, mode):
    pieces = (A, B, A, B)[: -(-size // PIECE)]
    entry = Entry(f"data/{name}", size, mode, 7, pieces, (size, 7, 8, 9) if size % 2 else None)
    state = State(1_767_225_600_123, "0.1.0", "/d\udcff", (entry,), {f"data/{name}s": 0o700}, 12)
    assert decode(encode(state), "x") == state
    assert sum(dict(entry.sizes()).values()) >= min(size, PIECE)


def test_sizes_of_pieces_add_up():
    assert Entry("data/x", PIECE + 3, 0, 0, (A, B)).sizes() == [(A, PIECE), (B, 3)]


def test_names_sort_by_time():
    moments = [0, 999, 1000, 1_767_225_600_000, 1_767_225_600_010, 4_102_444_800_000]
    names = [State(each, "", "", (), {}).name for each in moments]
    assert names == sorted(names)
    assert names[3] == "20260101T000000.000Z"


def test_a_list_that_was_cut_or_changed_anywhere_is_no_list():
    data = encode(State(5, "1", "", (Entry("data/x", 1, 0, 0, (A,)),), {}))
    for at in range(len(data) - 1):
        with pytest.raises(Damaged, match="list` names them"):
            decode(data[:at], "x")
        with pytest.raises(Damaged):
            decode(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], "x")


@pytest.mark.parametrize(
    "path", ["../x", "data/../../x", "/etc/x", "data//x", "data/./x", "data/", "data/a\0b", "x"]
)
def test_a_path_that_leaves_its_folder_is_refused(path):
    with pytest.raises(Damaged):
        decode(sealed(files=[[path, 0, 0, 0, [], None]]), "x")
    with pytest.raises(Damaged):
        decode(sealed(folders={path: 0o700}), "x")


@pytest.mark.parametrize(
    "changes",
    [
        {"files": [["data/x", -1, 0, 0, [], None]]},
        {"files": [["data/x", 1, 0, 0, [], None]]},
        {"files": [["data/x", 1, 0, 0, ["../" + "a" * 61], None]]},
        {"files": [["data/x"]]},
        {"files": 3},
        {"folders": []},
        {"made": None},
    ],
)
def test_a_list_of_another_shape_is_refused(changes):
    with pytest.raises(Damaged):
        decode(sealed(**changes), "x")


def test_one_of_a_newer_strata_is_told_as_such():
    with pytest.raises(Conflict, match="newer Strata"):
        decode(sealed(format=2, files="of another shape"), "x")
