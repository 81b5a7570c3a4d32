"""`strata import` and `strata export`: threads come in from elsewhere, and are taken along."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import click

from webapp import durable
from webapp.archives.everything import Form, Progress, everything
from webapp.archives.stock import Stock, made_assistants
from webapp.chat.messages import Thread
from webapp.cli_data import data_option, existing, held, now_ms, root_of, say
from webapp.errors import Conflict, NotFound
from webapp.people.household import FOLDER as PEOPLE
from webapp.people.register import Register
from webapp.threads import jan
from webapp.threads.backend import open_store
from webapp.threads.findings import counted
from webapp.threads.jan import Transfer
from webapp.threads.library import ThreadLibrary
from webapp.threads.ownership import owner_in
from webapp.threads.projects import DamagedProject, Project, Projects

_FOLDER: Final = click.Path(path_type=Path, file_okay=False)
_ZIP: Final = click.Path(path_type=Path, dir_okay=False)


def _with_files(command: Callable[..., Any]) -> Callable[..., Any]:
    text = "With the files of threads and projects."
    return click.option("--with-files", is_flag=True, help=text)(command)


def _person(command: Callable[..., Any]) -> Callable[..., Any]:
    text = "Whose, on a shared Strata, if not the owner's."
    return click.option("--person", metavar="NAME", default="", help=text)(command)


@click.group("import")
def bring() -> None:
    """Bring in threads of another program."""


@bring.command("jan")
@click.argument("folder", type=_FOLDER)
@click.option("--dry-run", is_flag=True, help="Only say what would come.")
@data_option
def bring_jan(folder: Path, dry_run: bool, data: str | None) -> None:
    """Bring in threads and assistants of Jan from its data FOLDER, in which nothing is changed.
    What came before does not come again."""
    root = root_of(data)
    with held(root):
        store = open_store(root, now_ms)
        try:
            done = jan.bring_in(folder, store, root, now_ms(), dry=dry_run)
        finally:
            store.close()
    _tell(done, "would come in" if dry_run else "came in", "Here before")


@click.group("export")
def take() -> None:
    """Take threads out: all of them, into one zip, or for another program."""


@take.command("json")
@click.argument("target", type=_ZIP, metavar="FILE.zip")
@_with_files
@_person
@data_option
def take_json(target: Path, with_files: bool, person: str, data: str | None) -> None:
    """Write everything into FILE.zip without loss: each thread with all its versions, marks and
    notes, projects, and assistants. `strata import` reads it."""
    _take(target, "json", with_files, person, data)


@take.command("markdown")
@click.argument("target", type=_ZIP, metavar="FILE.zip")
@click.option("--versions", is_flag=True, help="With all versions, not only those shown.")
@_with_files
@_person
@data_option
def take_markdown(
    target: Path, versions: bool, with_files: bool, person: str, data: str | None
) -> None:
    """Write every thread as a text to read into FILE.zip."""
    _take(target, "versions" if versions else "shown", with_files, person, data)


@take.command("jan")
@click.argument("target", type=click.Path(path_type=Path), metavar="FOLDER|FILE.zip")
@_with_files
@_person
@data_option
def take_jan(target: Path, with_files: bool, person: str, data: str | None) -> None:
    """Write all threads and assistants as Jan keeps them: into FOLDER, where what is there already
    is left as it is, or into FILE.zip."""
    if target.suffix.lower() == ".zip":
        _take(target, "jan", with_files, person, data)
        return
    if with_files or person:
        raise click.UsageError("--with-files and --person are for a FILE.zip.")
    root = existing(data)
    store = open_store(root, now_ms)
    try:
        done = jan.take_out(store, root, target, now_ms())
    finally:
        store.close()
    _tell(done, f"written to {target}", "There already, and left as it is")


# --- inside ---


def _take(target: Path, form: Form, with_files: bool, person: str, data: str | None) -> None:
    """Into a file that is there whole or not at all."""
    root = existing(data)
    if target.exists():
        raise Conflict(f"{target} is there already.", "Name another file, or move that one away.")
    done = Progress()

    def heard(now: Progress) -> None:
        nonlocal done
        done = now
        if now.threads == now.total or now.threads % 100 == 1:
            click.echo(f"{now.threads:,} of {counted(now.total, 'thread')}", err=True)

    beside = target.with_name(f"{target.name}.part")
    with _stock(root, person) as stock, durable.saving(target):
        try:
            with beside.open("wb") as file:
                for piece in everything(stock, form, with_files=with_files, heard=heard):
                    file.write(piece)
            beside.rename(target)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
    say(done.left)
    what = f"{counted(done.threads, 'thread')}, {counted(done.messages, 'message')}"
    say([f"{what} written to {target}."])


class _Whose:
    """That person, or the owner of the house, who also has what nobody else has. All is everybody's
    where nobody ever joined."""

    def __init__(self, root: Path, name: str) -> None:
        register = Register(root / PEOPLE / "people.json", clock_ms=now_ms, new_id=str)
        self._roll = register.roll()
        self._person = self._roll.named(name) if name else self._roll.owner()
        if name and self._person is None:
            raise NotFound(f"Nobody is called {name}.", "See `strata people list`.")

    def has(self, fields: Mapping[str, Any]) -> bool:
        if self._person is None:
            return True
        owner = self._roll.person(owner_in(fields))
        return owner == self._person or (owner is None and self._person.is_owner)


@contextmanager
def _stock(root: Path, name: str) -> Iterator[Stock]:
    whose = _Whose(root, name)
    store = open_store(root, now_ms)
    try:
        library = ThreadLibrary(store, clock_ms=now_ms, new_id=str)
        rows = library.threads()
        projects = Projects(root, clock_ms=now_ms, new_id=str).all()
        assistants, unread = made_assistants(root)
        unread += [str(each.problem) for each in projects if isinstance(each, DamagedProject)]
        yield Stock(
            [row for row in rows if whose.has(row.metadata if isinstance(row, Thread) else {})],
            library.acts.whole,
            root,
            [each for each in projects if isinstance(each, Project) and whose.has(each.data)],
            assistants,
            unread,
        )
    finally:
        store.close()


def _tell(done: Transfer, how: str, known: str) -> None:
    say(done.complaints)
    what = f"{counted(done.threads, 'thread')}, {counted(done.messages, 'message')}"
    say([f"{what}, {counted(done.assistants, 'assistant')} {how}."])
    if done.known:
        say([f"{known}: {counted(done.known, 'thread')}."])
