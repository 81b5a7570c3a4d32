"""`strata migrate`, `doctor`, `import` and `export`: what is done with all threads at once."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from webapp.errors import NotFound
from webapp.search.finder import Finder
from webapp.settings import load
from webapp.terminal import printable
from webapp.threads import jan
from webapp.threads.backend import KINDS, Kind, open_store
from webapp.threads.doctor import Examination, examine
from webapp.threads.findings import counted
from webapp.threads.instance import InstanceLock
from webapp.threads.jan import Transfer
from webapp.threads.mending import repair
from webapp.threads.migration import migrate as move
from webapp.threads.observed import StoredSource

_FOLDER = click.Path(path_type=Path, file_okay=False)


def data_option(command: Callable[..., Any]) -> Callable[..., Any]:
    text = "Where threads are kept, if not where they are by default."
    return click.option("--data", metavar="FOLDER", default=None, help=text)(command)


@click.command()
@click.option("--to", type=click.Choice(KINDS), required=True, help="How to keep threads.")
@data_option
def migrate(to: Kind, data: str | None) -> None:
    """Keep all threads in one SQLite file, or in directories.

    They are copied, counted and compared message by message before the new store is used. The
    old data stays."""
    root = existing(data)
    with _held(root):
        done = move(root, to, _now_ms)
    if done is None:
        _say([f"The threads are kept in {to} already."])
        return
    _say(done.complaints)
    what = f"{counted(done.threads, 'thread')}, {done.trashed:,} in the trash"
    _say([f"{what}, {counted(done.messages, 'message')}: copied and compared."])
    if done.aside is not None:
        _say([f"What an earlier migration had left is in {done.aside}."])
    _say([f"From now on they are kept in {to}; the old data stays in {root}."])


@click.command()
@data_option
def reindex(data: str | None) -> None:
    """Make the index of everything said anew.

    It is made by itself and kept in step; this is for when a search misses something."""
    root = existing(data)
    with _held(root):
        store = open_store(root, _now_ms)
        finder = Finder(root / "cache", StoredSource(store, root))
        try:
            count = finder.indexer.rebuild(_tell_progress)
        finally:
            finder.close()
            store.close()
    _say([f"{count:,} messages and titles can be found."])


@click.command()
@click.option("--repair", "mend", is_flag=True, help="Mend what can be, after making a copy.")
@data_option
def doctor(mend: bool, data: str | None) -> None:
    """Say what is wrong with the threads on this machine. Ends with 1 if anything is."""
    root = existing(data)
    if mend:
        with _held(root):
            done = repair(root, _now_ms)
        if done.copy is not None:
            mended = len(done.before.findings) - len(done.after.findings)
            _say(str(finding) for finding in done.before.findings if finding.mendable)
            _say([f"{counted(mended, 'thing')} mended; everything as it was is in {done.copy}."])
        found = done.after
    else:
        found = examine(root)
    _report(found)
    sys.exit(1 if found.findings else 0)


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
    root = _root(data)
    with _held(root):
        store = open_store(root, _now_ms)
        try:
            done = jan.bring_in(folder, store, root, _now_ms(), dry=dry_run)
        finally:
            store.close()
    _tell(done, "would come in" if dry_run else "came in", "Here before")


@click.group("export")
def take() -> None:
    """Take threads out for another program."""


@take.command("jan")
@click.argument("folder", type=_FOLDER)
@data_option
def take_jan(folder: Path, data: str | None) -> None:
    """Write all threads and assistants into FOLDER, as Jan keeps them. What is there already is
    left as it is."""
    root = existing(data)
    store = open_store(root, _now_ms)
    try:
        done = jan.take_out(store, root, folder, _now_ms())
    finally:
        store.close()
    _tell(done, f"written to {folder}", "There already, and left as it is")


def _tell_progress(done: int, total: int) -> None:
    if done == total or not done % 100:
        click.echo(f"{done:,} of {counted(total, 'thread')}", err=True)


def _root(data: str | None) -> Path:
    settings, complaints = load(os.environ, {"data": data})
    for complaint in complaints:
        click.echo(printable(complaint), err=True)
    return settings.data


def existing(data: str | None) -> Path:
    root = _root(data)
    if not root.is_dir():
        raise NotFound(f"There is no data directory at {root}.", "Name another with --data.")
    return root


@contextmanager
def _held(root: Path) -> Iterator[None]:
    """Refuses while a server runs on the directory."""
    lock = InstanceLock(root)
    try:
        yield
    finally:
        lock.release()


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _report(found: Examination) -> None:
    _say(found.notes)
    _say(map(str, found.findings))
    looked = f"Looked at {counted(found.threads, 'thread')}, {counted(found.messages, 'message')}."
    if not found.findings:
        _say([f"{looked} All is well."])
        return
    way_out = ""
    if any(finding.mendable for finding in found.findings):
        way_out = " `strata doctor --repair` makes a copy and mends what it can."
    _say([f"{looked} {counted(len(found.findings), 'thing')} found.{way_out}"])


def _tell(done: Transfer, how: str, known: str) -> None:
    _say(done.complaints)
    what = f"{counted(done.threads, 'thread')}, {counted(done.messages, 'message')}"
    _say([f"{what}, {counted(done.assistants, 'assistant')} {how}."])
    if done.known:
        _say([f"{known}: {counted(done.known, 'thread')}."])


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(printable(line))
