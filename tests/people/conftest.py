"""A house on a real disk, with passwords that are quick to hash."""

import pytest
from argon2 import PasswordHasher

from webapp.people.household import Guest, Household
from webapp.people.secret_words import Passwords

PHONE = Guest("192.168.1.20", "Phone")


@pytest.fixture(scope="session")
def passwords():
    return Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@pytest.fixture
def house(tmp_path, clock, new_id, passwords):
    return Household(tmp_path, shared=True, clock_ms=clock, new_id=new_id, passwords=passwords)


@pytest.fixture
def ada(house):
    """The owner, signed in: her token."""
    return house.join(house.register.open_house(), "Ada", "ada's password", PHONE)


@pytest.fixture
def ben(house, ada):
    """A member, signed in: his token."""
    code = house.register.roll().access_code
    return house.join(code, "Ben", "ben's password", PHONE)
