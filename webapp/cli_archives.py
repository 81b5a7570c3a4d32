"""`strata import` and `strata export`: threads come in from elsewhere, and are taken along."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import click

from webapp import durable
from webapp.archives.bringing import Bringing, Outcome, Rooms
from webapp.archives.everything import Form, Progress, everything
from webapp.archives.sources import source
from webapp.archives.stock import Stock, made_assistants
from webapp.archives.whose import Whose
from webapp.chat.messages import Thread
from webapp.cli_data import data_option, existing, held, now_ms, root_of, say
from webapp.documents.parsing.limits import MB
from webapp.errors import Conflict, NotFound
from webapp.people.household import FOLDER as PEOPLE
from webapp.people.register import Register
from webapp.settings import load
from webapp.threads import jan
from webapp.threads.assistants import Assistants
from webapp.threads.backend import open_store
from webapp.threads.findings import counted
from webapp.threads.jan import Transfer
from webapp.threads.library import ThreadLibrary
from webapp.threads.projects import DamagedProject, Project, Projects

_FOLDER: Final = click.Path(path_type=Path, file_okay=False)
_ZIP: Final = click.Path(path_type=Path, dir_okay=False)


def _with_files(command: Callable[..., Any]) -> Callable[..., Any]:
    text = "Include the files of threads and projects."
    return click.option("--with-files", is_flag=True, help=text)(command)


def _person(command: Callable[..., Any]) -> Callable[..., Any]:
    text = "On a shared Strata: whose, if not the owner's."
    return click.option("--person", metavar="NAME", default="", help=text)(command)


class _FileOrProgram(click.Group):
    """`strata import FILE` is `strata import file FILE`."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        named = any(each in self.commands for each in args)
        if args and not named and "--help" not in args:
            args = ["file", *args]
        return super().parse_args(context, args)


@click.group("import", cls=_FileOrProgram, subcommand_metavar="FILE | jan FOLDER")
def bring() -> None:
    """Import threads: from FILE, an export from Strata, ChatGPT, Claude, Open WebUI, LibreChat or
    Jan (JSON or zip), or from Jan's data FOLDER."""


@bring.command("file")
@click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--dry-run", is_flag=True, help="Only say what would be imported.")
@_person
@data_option
def bring_file(path: Path, dry_run: bool, person: str, data: str | None) -> None:
    """Import threads from an export, with all their versions. What is here already is not imported
    twice."""
    root = root_of(data)
    with held(root), source(path, now_ms()) as found, _rooms(root) as rooms:
        whose = _whose(root, person)
        done = Bringing(rooms, whose, dry=dry_run, heard=_tell_progress).run(found)
    _tell_outcome(done, "would come in" if dry_run else "came in")


@bring.command("jan")
@click.argument("folder", type=_FOLDER)
@click.option("--dry-run", is_flag=True, help="Only say what would be imported.")
@data_option
def bring_jan(folder: Path, dry_run: bool, data: str | None) -> None:
    """Import threads and assistants from Jan's data FOLDER, in which nothing is changed. What is
    here already is not imported twice."""
    root = root_of(data)
    with held(root):
        store = open_store(root, now_ms)
        try:
            done = jan.bring_in(folder, store, root, now_ms(), dry=dry_run)
        finally:
            store.close()
    _tell(done, "would come in" if dry_run else "came in", "Already here")


@click.group("export")
def take() -> None:
    """Export all threads: into one zip, or for another program."""


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
@click.option("--versions", is_flag=True, help="Include all versions, not only those shown.")
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
    """Write all threads and assistants as Jan keeps them: into FOLDER, without changing what is
    already there, or into FILE.zip."""
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
    _tell(done, f"written to {target}", "Already there, and left as is")


# --- inside ---


def _take(target: Path, form: Form, with_files: bool, person: str, data: str | None) -> None:
    """Into a file that is there whole or not at all."""
    root = existing(data)
    if target.exists():
        raise Conflict(f"{target} already exists.", "Name another file, or move that one away.")
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
                file.flush()
                os.fsync(file.fileno())
            durable.move(beside, target)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
    say(done.left)
    what = f"{counted(done.threads, 'thread')}, {counted(done.messages, 'message')}"
    say([f"{what} written to {target}."])


def _whose(root: Path, name: str) -> Whose:
    """That person, or the owner of the house. Raises NotFound for nobody."""
    roll = Register(root / PEOPLE / "people.json", clock_ms=now_ms, new_id=str).roll()
    person = roll.named(name) if name else roll.owner()
    if person is None:
        if name:
            raise NotFound(f"There is nobody called {name}.", "See `strata people list`.")
        return Whose()
    return Whose(person.id, person.is_owner, frozenset(each.id for each in roll.people))


@contextmanager
def _rooms(root: Path) -> Iterator[Rooms]:
    """Files are read by the next server."""
    made_by: dict[str, Any] = {"clock_ms": now_ms, "new_id": str}
    settings, _ = load(os.environ, {"data": str(root)})
    store = open_store(root, now_ms)
    assistants = Assistants(root, **made_by)
    try:
        say(assistants.migrate())
        library = ThreadLibrary(store, **made_by)
        yield Rooms(library, Projects(root, **made_by), assistants, root, settings.max_file_mb * MB)
    finally:
        store.close()


@contextmanager
def _stock(root: Path, name: str) -> Iterator[Stock]:
    whose = _whose(root, name)
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


def _tell_progress(now: Outcome) -> None:
    if now.looked_at and not now.looked_at % 100:
        of = f" of {now.total:,}" if now.total else ""
        click.echo(f"{now.looked_at:,}{of}", err=True)


def _tell_outcome(done: Outcome, how: str) -> None:
    say([*done.notes, *done.damaged])
    what = [counted(done.threads, "thread"), counted(done.messages, "message")]
    more = (("file", done.files), ("project", done.projects), ("assistant", done.assistants))
    what += [counted(count, name) for name, count in more if count]
    damaged = f" Damaged, and left out: {done.lost:,}." if done.lost else ""
    say([f"{done.program}: {', '.join(what)} {how}.{damaged}"])
    if done.known or done.trashed:
        trashed = f", {done.trashed:,} in the trash" if done.trashed else ""
        went_on = f", {done.continued:,} of which have grown since" if done.continued else ""
        say([f"Already here: {counted(done.known, 'thread')}{went_on}{trashed}."])


def _tell(done: Transfer, how: str, known: str) -> None:
    say(done.complaints)
    what = f"{counted(done.threads, 'thread')}, {counted(done.messages, 'message')}"
    say([f"{what}, {counted(done.assistants, 'assistant')} {how}."])
    if done.known:
        say([f"{known}: {counted(done.known, 'thread')}."])
