"""`strata backup` and `strata restore`: everything that is not derived, copied and put back."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import click

from webapp.backups import vault as vaults
from webapp.backups.checking import Check, check
from webapp.backups.choosing import chosen, shown
from webapp.backups.making import Made, Order, make
from webapp.backups.restoring import Restored, Restoring
from webapp.backups.states import State
from webapp.backups.vault import Vault
from webapp.cli_data import data_option
from webapp.cli_models import shown_on, size_in_words
from webapp.errors import NotFound
from webapp.settings import Settings, load
from webapp.terminal import printable
from webapp.threads.findings import counted

_FOLDER = click.Path(path_type=Path)


class _FolderOrCommand(click.Group):
    """`strata backup FOLDER` is `strata backup make FOLDER`, which nobody has to type."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = ["make", *args]
        return super().parse_args(context, args)

    def format_usage(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(context.command_path, "[OPTIONS] FOLDER")
        formatter.write_usage(context.command_path, "list FOLDER")
        formatter.write_usage(context.command_path, "verify FOLDER")

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        making = self.commands["make"]
        making.format_options(click.Context(making, info_name=context.info_name), formatter)


@click.group(cls=_FolderOrCommand)
def backup() -> None:
    """Copy everything that cannot be made again to FOLDER.

    These are threads, files, projects, assistants, people and settings. Only what changed since the
    last time is copied, older backups stay, and what was written is read again. Strata may be
    running. Left out are things that can be made again (caches, the search index, passages of
    files), who is signed in, and models unless asked for. If a run is cut short, the next one
    continues it.

    `list` shows the backups in FOLDER, `verify` only reads and checks them; if your folder has such
    a name, write ./list. `strata restore` puts a backup back."""


@backup.command("make", hidden=True)
@click.argument("folder", type=_FOLDER)
@click.option("--keep", type=click.IntRange(1), metavar="N", help="Keep only the N newest backups.")
@click.option("--verify", is_flag=True, help="First check all earlier backups and mend them.")
@click.option("--with-models", is_flag=True, help="Copy the model files too.")
@data_option
def make_one(
    folder: Path, keep: int | None, verify: bool, with_models: bool, data: str | None
) -> None:
    """Make a backup."""
    settings = _settings(data)
    if not settings.data.is_dir():
        raise NotFound(
            f"There is no data directory at {settings.data}.", "Name another with --data."
        )
    models = settings.models if with_models else None
    vault = vaults.made(folder.absolute(), settings.data, *([models] if models else []))
    with vault.held():
        checked = check(vault, shown_on(sys.stderr, "Backup")) if verify else Check()
        order = Order(settings.data, models, keep, frozenset(checked.damaged))
        done = make(vault, order, _now_ms, shown_on(sys.stderr, "Backup"))
        checked = _again(vault, checked) if verify else checked
    _tell_made(vault, done)
    if verify:
        _tell_checked(checked)
    sys.exit(1 if checked.findings else 0)


@backup.command("list")
@click.argument("folder", type=_FOLDER)
def show(folder: Path) -> None:
    """The backups in FOLDER, newest first."""
    vault = vaults.opened(folder.absolute())
    listing = vault.listing()
    several = len({state.of for state in listing.states}) > 1
    for state in listing.states:
        _say([_row(state) + (f" of {state.of}" if several else "")])
    _say(str(problem) for problem in listing.problems.values())
    if not listing.states and not listing.problems:
        _say([f"There is no finished backup in {vault.folder} yet."])


@backup.command("verify")
@click.argument("folder", type=_FOLDER)
def verify_all(folder: Path) -> None:
    """Read all backups in FOLDER again and compare every sha256. Exits with 1 if any is damaged."""
    vault = vaults.opened(folder.absolute())
    with vault.watched():
        checked = check(vault, shown_on(sys.stderr, "Check"))
    _tell_checked(checked)
    sys.exit(1 if checked.findings else 0)


@click.command()
@click.argument("folder", type=_FOLDER)
@click.option("--at", "when", metavar="WHEN", default="", help="The last backup up to that time.")
@click.option("--skip-damaged", is_flag=True, help="Leave out files that are damaged in FOLDER.")
@click.option("--with-models", is_flag=True, help="Put back model files too, if it has them.")
@data_option
def restore(
    folder: Path, when: str, skip_damaged: bool, with_models: bool, data: str | None
) -> None:
    """Put back a backup from FOLDER.

    The newest one, or with --at 2026-12-03 or --at "2026-12-03 18:30" the last one up to then. It
    goes into a data directory that is empty or not there yet; every sha256 is compared, and
    either all of it appears or nothing does."""
    settings = _settings(data)
    vault = vaults.opened(folder.absolute())
    with vault.watched():
        state = chosen(vault, when)
        done = Restoring(
            vault,
            state,
            settings.data,
            models=settings.models if with_models else None,
            despite_damage=skip_damaged,
            progress=shown_on(sys.stderr, "Restore"),
        ).run()
    _tell_restored(settings, state, done)


def _again(vault: Vault, before: Check) -> Check:
    """What is still wrong after what could be mended was."""
    return check(vault, only=before.damaged) if before.damaged else before


def _tell_made(vault: Vault, done: Made) -> None:
    _say(done.complaints)
    if not vault.is_private():
        _say([f"{vault.folder} is on a disk without permissions: anyone can read all of it."])
    state = done.state
    what = f"{counted(len(state.files), 'file')}, {size_in_words(state.size)}"
    new = f"{size_in_words(state.fresh)} of it was new, and was read again"
    _say(
        [
            f"Backed up {what}; {new}."
            if state.fresh
            else f"Backed up {what}. Nothing in it was new."
        ]
    )
    if done.dropped:
        _say([f"{counted(done.dropped, 'older backup')} removed."])
    _say([f"To put it back: strata restore {vault.folder}"])


def _tell_checked(checked: Check) -> None:
    _say(checked.findings)
    what = f"{counted(checked.backups, 'backup')}, {size_in_words(checked.size)}"
    end = "Something is damaged." if checked.findings else "All is well."
    _say([f"Read {what} again. {end}"])


def _tell_restored(settings: Settings, state: State, done: Restored) -> None:
    if done.left_out:
        _say(["Left out, because they are damaged:", *(f"  {line}" for line in done.left_out)])
    if done.known:
        _say([f"Models that were already there are unchanged: {', '.join(done.known)}."])
    if done.models:
        _say([f"{counted(done.models, 'file')} put into {settings.models}."])
    what = f"{counted(done.files, 'file')}, {size_in_words(done.size)}"
    _say([f"The backup from {shown(state.made)} is back in {settings.data}: {what}, all compared."])
    _say(["At the next start, passages of files are made again; people have to sign in again."])


def _row(state: State) -> str:
    what = f"{counted(len(state.files), 'file')}, {size_in_words(state.size)}"
    models = ", with models" if state.has_models() else ""
    return f"{shown(state.made)}  {what}{models} ({size_in_words(state.fresh)} of it new)"


def _settings(data: str | None) -> Settings:
    settings, complaints = load(os.environ, {"data": data})
    for complaint in complaints:
        click.echo(printable(complaint), err=True)
    return settings


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(printable(line))
