"""Which backup a moment means."""

from datetime import datetime

import pytest

from webapp.backups import vault as vaults
from webapp.backups.choosing import chosen, shown
from webapp.backups.states import State
from webapp.errors import BadInput, Damaged, NotFound


def at(text):
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.fixture
def vault(tmp_path):
    vault = vaults.made(tmp_path / "backups")
    for moment in ("2026-03-01 08:00:00.500", "2026-03-01 18:30:15", "2026-03-02 09:00:00"):
        vault.keep(State(at(moment), "", "", (), {}))
    return vault


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("", "2026-03-02 09:00:00"),
        ("2026-03-05", "2026-03-02 09:00:00"),
        ("2026-03-01", "2026-03-01 18:30:15"),
        ("2026-03-01 18:30", "2026-03-01 18:30:15"),
        ("2026-03-01T18:29", "2026-03-01 08:00:00"),
        (" 2026-03-01 08:00:00 ", "2026-03-01 08:00:00"),
        ("2026-03-01 18:30:14", "2026-03-01 08:00:00"),
    ],
)
def test_it_is_the_last_one_up_to_that_day_minute_or_second(vault, when, expected):
    assert shown(chosen(vault, when).made) == expected


def test_each_one_is_found_as_it_is_shown(vault):
    for state in vault.listing().states:
        assert chosen(vault, shown(state.made)) == state


def test_before_the_oldest_there_is_none(vault):
    with pytest.raises(NotFound, match=r"oldest one is from 2026-03-01 08:00:00"):
        chosen(vault, "2026-02-28")


@pytest.mark.parametrize("when", ["yesterday", "2026-13-01", "2026-03-01 25:00", "9999-12-31"])
def test_what_is_no_moment_is_said(vault, when):
    with pytest.raises(BadInput, match="Write it as"):
        chosen(vault, when)


def test_without_any_that_can_be_read_it_is_said_why(tmp_path):
    vault = vaults.made(tmp_path / "backups")
    with pytest.raises(NotFound, match="no finished backup"):
        chosen(vault)
    (vault.folder / "states/20260101T000000.000Z.json").write_text("{}")
    with pytest.raises(Damaged):
        chosen(vault)
