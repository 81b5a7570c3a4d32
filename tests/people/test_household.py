"""At the door: joining, signing in and out, and who is turned away."""

from dataclasses import replace

import pytest

from tests.people.conftest import PHONE
from webapp.errors import BadInput, Damaged, Forbidden, TooOften
from webapp.people.household import Guest, Household

STRANGER = Guest("192.168.1.66", "Laptop")


def audited(house):
    return [line.what for line in house.audit.latest(100)]


def test_the_owner_and_a_member_join_and_are_who_they_are(house, ada, ben):
    owner, member = house.visit(ada).member, house.visit(ben).member
    assert (owner.name, owner.is_owner, owner.alone) == ("Ada", True, False)
    assert (member.name, member.is_owner) == ("Ben", False)
    assert audited(house) == ["joined", "joined"]


def test_who_has_a_password_signs_in_with_it_and_their_name(house, ada):
    token = house.sign_in(" ada ", "ada's password", STRANGER)
    assert token != ada
    assert house.visit(token).member == house.visit(ada).member
    assert house.visit(token).session.device == "Laptop"


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("Ada", "wrong password"),
        ("Nobody", "ada's password"),
        ("", ""),
        ("Ada", ""),
        ("\ud800", "\0"),
    ],
)
def test_a_refusal_does_not_say_what_was_wrong(house, ada, name, password):
    with pytest.raises(Forbidden) as told:
        house.sign_in(name, password, STRANGER)
    assert told.value.what == "The name or the password is wrong."
    assert audited(house)[0] == "sign-in refused"


def test_an_owner_who_has_not_come_in_yet_cannot_be_guessed(house):
    house.register.open_house()
    with pytest.raises(Forbidden):
        house.sign_in("", "", STRANGER)


def test_guessing_waits_longer_and_longer_from_one_address(house, ada, clock):
    waits = []
    for number in range(6):
        try:
            house.sign_in(f"Name {number}", "wrong", STRANGER)
        except TooOften as told:
            waits.append(told.seconds)
            clock.now += told.seconds * 1000
        except Forbidden:
            pass
    assert waits == [1, 2]
    house.sign_in("Ada", "ada's password", PHONE)


def test_guessing_waits_for_one_name_from_any_address(house, ada, clock):
    for number in range(3):
        with pytest.raises(Forbidden):
            house.sign_in("Ada", "wrong", replace(STRANGER, address=f"192.168.1.{number}"))
    with pytest.raises(TooOften, match=r"Wait 1 second,"):
        house.sign_in("ada", "ada's password", STRANGER)
    clock.now += 1000
    house.sign_in("Ada", "ada's password", STRANGER)


def test_who_comes_from_where_they_are_signed_in_is_not_held_up_by_strangers(house, ada):
    for number in range(3):
        with pytest.raises(Forbidden):
            house.sign_in("Ada", "wrong", replace(STRANGER, address=f"192.168.1.{number}"))
    house.sign_in("Ada", "ada's password", PHONE)


def test_a_sign_in_does_not_make_an_address_forget_its_guesses_at_other_names(house, ada, ben):
    for _ in range(2):
        with pytest.raises(Forbidden):
            house.sign_in("Ada", "wrong", STRANGER)
    house.sign_in("Ben", "ben's password", STRANGER)
    with pytest.raises(Forbidden):
        house.sign_in("Ada", "wrong", STRANGER)
    with pytest.raises(TooOften):
        house.sign_in("Ben", "ben's password", STRANGER)


def test_devices_of_one_ipv6_network_are_one_guest(house, ada):
    for number in range(3):
        with pytest.raises(Forbidden):
            house.sign_in(f"Name {number}", "wrong", Guest(f"2001:db8::1:{number}"))
    with pytest.raises(TooOften):
        house.sign_in("Name", "wrong", Guest("2001:db8::ffff"))
    with pytest.raises(Forbidden):
        house.sign_in("Name", "wrong", Guest("2001:db8:0:1::1"))


def test_a_stranger_who_guesses_codes_holds_up_nobody_else(house, ada):
    for number in range(40):
        with pytest.raises(Forbidden):
            house.join("0000-0000", "Eve", "eve's password", Guest(f"10.0.0.{number}"))
    assert house.join(house.register.roll().access_code, "Cy", "cy's password", STRANGER)


def test_codes_are_guessed_no_faster(house, ada):
    for _ in range(3):
        with pytest.raises(Forbidden):
            house.join("0000-0000", "Eve", "eve's password", STRANGER)
    with pytest.raises(TooOften):
        house.join(house.register.roll().access_code, "Eve", "eve's password", STRANGER)
    assert audited(house).count("code refused") == 3


def test_the_session_that_a_browser_brings_along_is_not_the_one_it_leaves_with(house, ada):
    token = house.sign_in("Ada", "ada's password", replace(PHONE, token=ada))
    assert house.visit(ada) is None
    planted = replace(PHONE, token="planted by somebody else")
    assert house.sign_in("Ada", "ada's password", planted) != planted.token
    assert house.visit(planted.token) is None
    assert house.visit(token)


def test_who_signs_out_is_out(house, ada):
    house.sign_out(house.visit(ada))
    assert house.visit(ada) is None
    assert house.visit("") is None


def test_a_new_password_ends_the_other_sessions(house, ada):
    other = house.sign_in("Ada", "ada's password", PHONE)
    with pytest.raises(BadInput, match="old password"):
        house.change_password(house.visit(ada), "wrong", "another password", PHONE)
    with pytest.raises(BadInput, match="too short"):
        house.change_password(house.visit(ada), "ada's password", "short", PHONE)
    house.change_password(house.visit(ada), "ada's password", "another password", PHONE)
    assert house.visit(other) is None
    assert house.visit(ada)
    house.sign_in("Ada", "another password", PHONE)


def test_a_new_password_by_code_ends_all_sessions(house, ada, ben):
    code = house.register.invite(house.visit(ben).member.id)
    token = house.join(code, "", "another password", STRANGER)
    assert house.visit(ben) is None
    assert house.visit(token).member.name == "Ben"


def test_a_code_is_not_used_up_by_a_password_that_is_none(house, ada):
    code = house.register.invite()
    with pytest.raises(BadInput):
        house.join(code, "Cy", "short", STRANGER)
    with pytest.raises(BadInput):
        house.join(code, "Ada", "a fine password", STRANGER)
    assert house.visit(house.join(code, "Cy", "a fine password", STRANGER))


def test_who_is_removed_is_out_at_once(house, ada, ben):
    house.remove(house.visit(ben).member.id)
    assert house.visit(ben) is None
    with pytest.raises(Forbidden):
        house.sign_in("Ben", "ben's password", PHONE)


def test_with_a_damaged_file_nobody_is_let_in(house, ada, tmp_path):
    (tmp_path / "people" / "people.json").write_text("{")
    for act in (lambda: house.visit(ada), lambda: house.sign_in("Ada", "x", PHONE)):
        with pytest.raises(Damaged):
            act()


def test_without_sharing_nothing_is_written(tmp_path, clock, new_id):
    assert not Household(tmp_path, shared=False, clock_ms=clock, new_id=new_id).shared
    assert list(tmp_path.iterdir()) == []


def test_a_known_code_with_a_taken_name_does_not_make_earlier_guesses_forgotten(house, ada, ben):
    code = house.register.roll().access_code

    def taken():
        for _ in range(50):
            with pytest.raises(BadInput):
                house.join(code, "Ben", "a password", PHONE)

    with pytest.raises(TooOften):
        taken()
