import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.threads.store_contract import said
from webapp.chat.messages import Message
from webapp.chat.records import Append, Delete, Patch, Put
from webapp.errors import BadInput
from webapp.threads import log

RECORDS = [Put(said("m", "é")), Patch("m", {"a": None}), Append("m", "x"), Delete("m")]


@pytest.mark.parametrize("record", RECORDS)
@pytest.mark.parametrize(
    "act", [None, log.Act("a1", 'Said "no" }\n'), log.Act("a", "b", (None, "r"))]
)
def test_a_record_comes_back_with_its_time_and_act(record, act):
    (line,) = log.encode([record], 17, act)
    found = log.decode(line)
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert (found.record, found.at, found.act, found.ours) == (record, 17, act, True)


def test_only_the_first_line_of_an_act_names_it():
    first, second = log.encode(RECORDS[:2], 1, log.Act("a", "Edited"))
    assert log.decode(first).act == log.Act("a", "Edited")
    assert log.decode(second).act == log.Act("a")
    assert log.names_an_act(first)
    assert log.names_an_act(second)
    assert not log.names_an_act(log.encode(RECORDS, 1, None)[0])


@pytest.mark.parametrize(
    "fields",
    [{"at": 1}, {"crc": 2}, {"act": "x"}, {"act": '["a","b"]'}, {"act": "", "at": 1, "crc": 2}],
)
@pytest.mark.parametrize("act", [None, log.Act("mine", "Edited")])
def test_a_message_may_have_fields_called_like_ours(fields, act):
    message = Message({"id": "m", "role": "user", **fields})
    (line,) = log.encode([Put(message)], 5, act)
    found = log.decode(line)
    assert found.record == Put(message)
    assert found.act == act
    assert log.decode(log.seal(found.body, found.at)).record == Put(message)


def test_lines_of_others_need_no_checksum_and_may_have_one_without_a_time():
    theirs = {"id": "m", "role": "user", "x": [1, 2]}
    assert log.decode(json.dumps(theirs).encode()).record == Put(Message(theirs))
    sealed = log.seal(b'{"id":"m","role":"user"', 0).replace(b',"at":0', b"")
    with pytest.raises(log.UnreadableError):
        log.decode(sealed)
    text = b'{"id":"m","role":"user"}'
    for form in (b',"crc":%d}', b', "crc": %d }'):
        line = text[:-1] + form % zlib.crc32(text)
        assert log.decode(line).record == Put(Message({"id": "m", "role": "user"}))


def test_a_blank_line_is_nothing_and_nuls_are_damage():
    assert log.decode(b" \r\n") is None
    with pytest.raises(log.UnreadableError):
        log.decode(b"\0\0\n")
    assert log.decode(b'\0\0{"id":"m","deleted":true}\0').record == Delete("m")


def test_a_change_without_a_readable_part_is_no_record():
    for text in (
        '{"id":"m","append":5}',
        '{"id":"m","patch":{}}',
        '{"id":"m","deleted":false}',
        '{"append":"x"}',
        '{"id":null,"deleted":true}',
        "null",
    ):
        with pytest.raises(log.UnreadableError):
            log.decode(text.encode())


def test_a_nested_object_with_an_id_is_not_taken_for_a_record():
    damaged = []
    line = b'{"id":"m","role":"user","calls":[{"id":"c","role":"x"}],"n":}\n'
    assert list(log.read([line], damaged)) == []
    assert damaged == [line[:-1]]


def test_a_long_line_of_beginnings_is_given_up_quickly():
    damaged = []
    assert list(log.read([b'{"id"' * 500_000], damaged)) == []
    assert len(damaged) == 1


def test_a_message_without_id_or_role_is_refused():
    for data in ({}, {"id": "m"}, {"id": 5, "role": "user"}, {"id": "m", "role": None}):
        with pytest.raises(BadInput):
            log.encode([Put(Message(data))], 1, None)


@given(st.binary())
def test_any_bytes_are_read_or_kept_as_damage(data):
    damaged = []
    lines = data.splitlines(keepends=True)
    read = list(log.read(lines, damaged))
    assert len(read) + len(damaged) <= len(lines)


@given(st.text(st.characters(exclude_categories=())), st.data())
def test_a_changed_byte_never_passes_for_another_message(text, data):
    (line,) = log.encode([Put(said("m", text))], 1, None)
    place = data.draw(st.integers(0, len(line) - 2))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != line[place]))
    found = list(log.read([line[:place] + bytes([byte]) + line[place + 1 :]], []))
    unsealed = b'"crc"' not in line[:place] + bytes([byte]) + line[place + 1 :]
    assert not found or unsealed or found[0].record == log.decode(line).record
