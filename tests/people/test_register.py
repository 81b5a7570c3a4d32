"""The people of a house, and how others join."""

import json
import threading
from contextlib import suppress

import pytest

from webapp.errors import BadInput, Conflict, Damaged, Forbidden, NotFound
from webapp.people import register as register_module
from webapp.people.register import CODE_MS, Register
from webapp.people.secret_words import shown_code


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people" / "people.json"


@pytest.fixture
def register(path, clock, new_id):
    return Register(path, clock_ms=clock, new_id=new_id)


@pytest.fixture
def ada(register):
    return register.join(register.open_house(), "Ada", "hash of Ada")


def test_the_first_opening_makes_an_owner_and_an_access_code(register, path):
    code = register.open_house()
    roll = register.roll()
    assert roll.owner().password == ""
    assert len(roll.access_code) == 8
    assert code not in path.read_text()
    assert register.join(code, "Ada", "hash").is_owner


def test_until_the_owner_has_come_in_each_opening_gives_a_new_code_and_then_none(register):
    first, second = register.open_house(), register.open_house()
    with pytest.raises(Forbidden):
        register.join(first, "Ada", "hash")
    register.join(second, "Ada", "hash")
    assert register.open_house() == ""


def test_who_knows_the_access_code_joins_as_a_member(register, ada):
    code = register.roll().access_code
    ben = register.join(shown_code(code).lower(), "Ben", "hash of Ben")
    cy = register.join(code, "Cy", "hash of Cy")
    assert not ben.is_owner
    assert [each.name for each in register.roll().people] == ["Ada", "Ben", "Cy"]
    assert cy.id != ben.id


def test_a_one_time_code_is_good_once_and_not_for_ever(register, ada, clock):
    code = register.invite()
    register.join(code, "Ben", "hash")
    with pytest.raises(Forbidden, match="no longer"):
        register.join(code, "Cy", "hash")
    late = register.invite()
    clock.now += CODE_MS
    with pytest.raises(Forbidden):
        register.join(late, "Cy", "hash")


def test_two_who_use_one_code_at_once_are_not_both_let_in(register, ada):
    code, came = register.invite(), []

    def come(name):
        with suppress(Forbidden):
            came.append(register.join(code, name, "hash"))

    crowd = [threading.Thread(target=come, args=(f"Guest {n}",)) for n in range(8)]
    for each in crowd:
        each.start()
    for each in crowd:
        each.join()
    assert len(came) == 1


@pytest.mark.parametrize("code", ["", "0", "00000000", "\ud800", "x" * 10_000])
def test_a_wrong_code_lets_nobody_in(register, ada, code):
    with pytest.raises(Forbidden):
        register.join(code, "Eve", "hash")
    register.drop_access_code()
    with pytest.raises(Forbidden):
        register.join(code, "Eve", "hash")


def test_a_code_for_somebody_known_gives_them_a_new_password_and_no_new_name(register, ada):
    code = register.invite(ada.id)
    assert register.meant_by(code) == ada
    again = register.join(code, "Somebody else", "another hash")
    assert (again.id, again.name, again.password) == (ada.id, "Ada", "another hash")
    assert again.is_owner


def test_a_name_is_taken_once(register, ada):
    with pytest.raises(BadInput, match="already has this name"):
        register.join(register.roll().access_code, "ＡDA", "hash")


def test_codes_can_be_voided_and_the_access_code_changed_or_dropped(register, ada):
    one, lasting = register.invite(), register.roll().access_code
    assert register.drop_codes() == 1
    assert register.new_access_code() != lasting
    for code in (one, lasting):
        with pytest.raises(Forbidden):
            register.join(code, "Ben", "hash")
    register.drop_access_code()
    assert register.roll().access_code == ""


def test_who_is_removed_is_gone_with_their_codes_and_the_owner_stays(register, ada):
    ben = register.join(register.invite(), "Ben", "hash")
    code = register.invite(ben.id)
    assert register.remove(ben.id).name == "Ben"
    with pytest.raises(Forbidden):
        register.join(code, "Ben", "hash")
    with pytest.raises(NotFound):
        register.remove(ben.id)
    with pytest.raises(Conflict):
        register.remove(ada.id)


def test_a_password_is_set_for_somebody_there(register, ada):
    register.set_password(ada.id, "new hash")
    assert register.roll().owner().password == "new hash"
    for act in (lambda: register.set_password("x", "y"), lambda: register.invite("x")):
        with pytest.raises(NotFound):
            act()


def test_neither_people_nor_codes_grow_without_bounds(register, ada, monkeypatch):
    monkeypatch.setattr(register_module, "MOST_CODES", 2)
    monkeypatch.setattr(register_module, "MOST_PEOPLE", 1)
    register.invite()
    register.invite()
    with pytest.raises(Conflict):
        register.invite()
    with pytest.raises(Conflict):
        register.join(register.roll().access_code, "Ben", "hash")


def test_a_damaged_file_is_told_and_never_written_to(register, path, ada):
    for text in ("{", '{"people": [{"id": 5}]}'):
        path.write_text(text)
        for act in (register.roll, register.open_house, register.invite, register.new_access_code):
            with pytest.raises(Damaged):
                act()
        assert path.read_text() == text


def test_fields_of_a_later_version_are_kept(register, path, ada):
    kept = json.loads(path.read_text())
    path.write_text(json.dumps({**kept, "later": [1]}))
    register.new_access_code()
    assert json.loads(path.read_text())["later"] == [1]
