"""`strata people`: who belongs to this house, and the owner's way back in. For who sits at the
machine: it reads and writes the files beside a running server, which takes notice."""

from __future__ import annotations

import secrets
import time
from typing import Any

import click

from webapp.cli_data import data_option, existing
from webapp.people.household import FOLDER
from webapp.people.register import Register
from webapp.people.secret_words import shown_code
from webapp.people.sessions import Sessions
from webapp.terminal import printable


@click.group()
def people() -> None:
    """Who may sign in to a shared Strata."""


@people.command("list")
@data_option
def show(data: str | None) -> None:
    """Everybody, with the day they joined and the day of their last visit."""
    folder = existing(data) / FOLDER
    roll = Register(folder / "people.json", **_made_by()).roll()
    seen = Sessions(folder / "sessions.json", **_made_by())
    if not roll.people:
        click.echo("Nobody yet: start with --lan to share.")
    for each in roll.people:
        last = seen.of(each.id)
        what = ["owner"] if each.is_owner else []
        what += [f"joined {_day(each.joined)}"] if each.password else ["has not joined yet"]
        what += [f"last seen {_day(last[0].seen)}, {len(last)} signed in"] if last else []
        click.echo(f"{printable(each.name) or '(no name)'}: {', '.join(what)}")


@people.command()
@data_option
def code(data: str | None) -> None:
    """A new one-time code for an owner who has lost the password. Using it ends all other sessions
    of the owner."""
    register = Register(existing(data) / FOLDER / "people.json", **_made_by())
    owner = register.roll().owner()
    given = register.invite(owner.id) if owner else register.open_house()
    click.echo(f"The owner's code, good once within 7 days at /join: {shown_code(given)}")


def _made_by() -> dict[str, Any]:
    return {
        "clock_ms": lambda: time.time_ns() // 1_000_000,
        "new_id": lambda: secrets.token_hex(16),
    }


def _day(moment_ms: int) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(moment_ms / 1000))
