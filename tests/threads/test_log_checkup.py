import json

import pytest

from tests.threads.store_contract import said
from webapp.chat.records import Append, Delete, Put
from webapp.threads import log
from webapp.threads.log_checkup import check


def lines(*records):
    return log.encode(records, 5, log.Act("x", "An act"))


def theirs(id):
    return json.dumps(dict(said(id).data)).encode() + b"\n"


GOOD = lines(Put(said("a")), Put(said("b")), Append("a", "!"), Put(said("a", "again")), Delete("b"))


def test_a_healthy_log_has_nothing_to_say():
    assert check([]).sentences() == []
    assert check([*GOOD, theirs("c"), b"\r\n", theirs("b")[:-1]]).sentences() == []


DAMAGES = {
    b'{"id":"x","role":"us': "1 line ends in the middle: 3.",
    b'{"id":"x","role":"user","at":5,"crc":1}\n': "1 line does not fit its checksum: 3.",
    b"\0" * 512 + b"\n": "1 line holds NULs and no text: 3.",
    b'{"id":"x"}\n': "1 line cannot be read: 3.",
    b"junk\n": "1 line cannot be read: 3.",
    theirs("a"): "1 line uses the id of an earlier message and takes its place: 3 (a).",
}


@pytest.mark.parametrize("damage", DAMAGES, ids=DAMAGES.values())
def test_each_kind_of_damage_has_its_sentence_and_line_number(damage):
    assert check([*GOOD[:2], damage, *GOOD[2:]]).sentences() == [DAMAGES[damage]]


def test_several_kinds_are_told_apart():
    found = check([b"junk\n", *GOOD, b"junk\n", b"\0\n", b'{"id":"x'])
    assert found.sentences() == [
        "1 line ends in the middle: 9.",
        "1 line holds NULs and no text: 8.",
        "2 lines cannot be read: 1, 7.",
    ]


def test_a_line_with_something_whole_in_it_is_damaged_all_the_same():
    assert check([b'{"id":"x","ro' + theirs("y")]).strange == [1]
