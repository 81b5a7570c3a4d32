import json

from tests.threads.store_contract import said
from webapp.chat.records import Append, Delete, Patch, Put
from webapp.threads import log
from webapp.threads.replay import Replay
from webapp.threads.rewriting import Places, rewritten

RECORDS = [Put(said("a")), Put(said("b")), Put(said("c")), Append("b", "!"), Delete("a")]


def lines(records):
    return list(log.read(log.encode(records, 9, log.Act("x", "Act")), []))


def test_a_new_log_has_one_whole_message_a_line():
    new = rewritten(lines([*RECORDS, Put(said("c", "new")), Patch("c", {"pin": 1})]))
    found = [json.loads(line) for line in new.splitlines()]
    assert [(message["id"], message["role"]) for message in found] == [("b", "user"), ("c", "user")]


def test_a_new_log_plays_to_the_same_messages_and_is_not_made_smaller_twice():
    new = list(log.read(rewritten(lines(RECORDS)).splitlines(keepends=True), []))
    replayed = Replay(line.record for line in new)
    assert replayed.messages() == Replay(RECORDS).messages()
    assert rewritten(new) == rewritten(lines(RECORDS))


def test_no_act_is_carried_over():
    assert not log.names_an_act(rewritten(lines(RECORDS)))


def test_the_order_can_be_given_also_of_a_message_that_is_not_there():
    new = rewritten(lines(RECORDS), Places(["c", "lost", "b", "unknown"], [said("lost")]))
    replay = Replay(line.record for line in log.read(new.splitlines(keepends=True), []))
    assert [message.id for message in replay.messages()] == ["c", "b"]
    replay.apply(Put(said("lost", "back")))
    assert [message.id for message in replay.messages()] == ["c", "lost", "b"]


def test_an_untouched_line_keeps_its_text():
    theirs = b'{"role" : "user", "id":"j", "n":1.10, "id":"j"}'
    kept = rewritten(log.read([theirs, b'{"id":"a","role":"user"}'], []))
    assert kept.startswith(theirs[:-1])
