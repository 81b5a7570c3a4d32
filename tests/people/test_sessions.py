"""Who is signed in, where, and for how long."""

import json

import pytest

from webapp.errors import NotFound
from webapp.people.sessions import IDLE_MS, MOST_OF_ONE, NOTED_MS, OLD_MS, Sessions


@pytest.fixture
def sessions(tmp_path, clock, new_id):
    return Sessions(tmp_path / "sessions.json", clock_ms=clock, new_id=new_id)


@pytest.fixture
def again(tmp_path, clock, new_id):
    """Those that a new start finds."""
    return lambda: Sessions(tmp_path / "sessions.json", clock_ms=clock, new_id=new_id)


def test_a_session_is_found_by_its_token_also_after_a_restart(sessions, again):
    token = sessions.begin("ada", "Phone", "192.168.1.20")
    for each in (sessions, again()):
        found = each.find(token)
        assert (found.person, found.device, found.address) == ("ada", "Phone", "192.168.1.20")


def test_the_file_does_not_tell_the_token(sessions, tmp_path):
    token = sessions.begin("ada", "", "")
    assert token not in (tmp_path / "sessions.json").read_text()


@pytest.mark.parametrize("token", ["", "wrong", "\ud800", "x" * 10_000])
def test_another_token_finds_nothing(sessions, token):
    sessions.begin("ada", "", "")
    assert sessions.find(token) is None


def test_the_hash_of_a_token_is_no_token(sessions):
    token = sessions.begin("ada", "", "")
    assert sessions.find(sessions.find(token).token_hash) is None


def test_a_session_that_is_not_used_ends(sessions, clock):
    token = sessions.begin("ada", "", "")
    clock.now += IDLE_MS
    assert sessions.find(token) is None
    assert sessions.of() == []


def test_a_session_that_is_used_goes_on_but_not_for_ever(sessions, clock):
    token = sessions.begin("ada", "", "")
    for _ in range(OLD_MS // (IDLE_MS // 2)):
        clock.now += IDLE_MS // 2
        assert sessions.find(token)
    clock.now += IDLE_MS // 2
    assert sessions.find(token) is None


def test_use_is_written_down_now_and_then_only(sessions, clock, again, tmp_path):
    token = sessions.begin("ada", "", "")
    before = (tmp_path / "sessions.json").read_bytes()
    sessions.find(token)
    assert (tmp_path / "sessions.json").read_bytes() == before
    clock.now += NOTED_MS
    seen = sessions.find(token).seen
    assert again().find(token).seen == seen


def test_signing_in_anew_ends_the_session_that_the_browser_had(sessions):
    old = sessions.begin("ada", "", "")
    new = sessions.begin("ada", "", "", instead_of=old)
    assert new != old
    assert sessions.find(old) is None
    assert sessions.find(new)


def test_one_ends_and_others_go_on(sessions):
    phone, desk = sessions.begin("ada", "Phone", ""), sessions.begin("ada", "Desk", "")
    sessions.end(sessions.find(phone).id)
    assert sessions.find(phone) is None
    assert sessions.find(desk)
    with pytest.raises(NotFound):
        sessions.end("no such id")


def test_nobody_ends_the_session_of_another_as_their_own(sessions):
    token = sessions.begin("ada", "", "")
    with pytest.raises(NotFound):
        sessions.end(sessions.find(token).id, person="ben")
    assert sessions.find(token)


def test_all_of_a_person_end_but_one(sessions):
    here, there = sessions.begin("ada", "", ""), sessions.begin("ada", "", "")
    other = sessions.begin("ben", "", "")
    assert sessions.end_all("ada", but=sessions.find(here).id) == 1
    assert sessions.find(there) is None
    assert sessions.find(here)
    assert sessions.find(other)
    assert sessions.end_all("ada") == 1
    assert [each.person for each in sessions.of()] == ["ben"]


def test_the_oldest_of_too_many_goes(sessions):
    first = sessions.begin("ada", "", "")
    for _ in range(MOST_OF_ONE):
        last = sessions.begin("ada", "", "")
    assert sessions.find(first) is None
    assert sessions.find(last)
    assert len(sessions.of("ada")) == MOST_OF_ONE


def test_a_damaged_file_has_everyone_sign_in_again(sessions, again, tmp_path):
    token = sessions.begin("ada", "", "")
    path = tmp_path / "sessions.json"
    whole = json.loads(path.read_text())
    for raw in ("{", "[]", '{"sessions": 5}', '{"sessions": [1, {}, {"id": 5}]}'):
        path.write_text(raw)
        assert again().find(token) is None
    path.write_text(json.dumps({"sessions": [{"id": 5}, *whole["sessions"]]}))
    assert again().find(token)
    path.write_text("{")
    assert again().begin("ben", "", "")
