"""The owner's way back in, and who is here, for who sits at the machine."""

import re

import pytest
from click.testing import CliRunner

from webapp.cli import main
from webapp.people.household import Guest, Household


@pytest.fixture
def house(tmp_path, clock, new_id):
    return Household(tmp_path / "data", shared=True, clock_ms=clock, new_id=new_id)


def people(tmp_path, *arguments):
    return CliRunner().invoke(main, ["people", *arguments, "--data", str(tmp_path / "data")])


def test_the_owner_comes_in_again_with_a_new_code_beside_a_running_server(house, tmp_path):
    lost = house.join(house.register.open_house(), "Ada", "a lost password", Guest("10.0.0.1"))
    told = people(tmp_path, "code")
    assert told.exit_code == 0
    code = re.search(r": ([\w-]{9})$", told.output.strip())[1]
    token = house.join(code, "", "a new password", Guest("10.0.0.1"))
    assert house.visit(token).member.name == "Ada"
    assert house.visit(token).member.is_owner
    assert house.visit(lost) is None


def test_everybody_is_listed_without_their_secrets(house, tmp_path):
    house.join(house.register.open_house(), "Ada", "ada's password", Guest("10.0.0.1"))
    code = house.register.roll().access_code
    house.join(code, "Ben\x1b[2J", "ben's password", Guest("10.0.0.2"))
    shown = people(tmp_path, "list").output
    assert "Ada: owner, joined" in shown
    assert "Ben" in shown
    assert "\x1b" not in shown
    assert "argon2" not in shown
    assert code not in shown


def test_before_anybody_is_here(tmp_path):
    assert "There is no data directory" in people(tmp_path, "list").output
    (tmp_path / "data").mkdir()
    assert "Nobody yet" in people(tmp_path, "list").output
    assert "at /join: " in people(tmp_path, "code").output
