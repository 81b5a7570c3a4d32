"""`strata migrate`, `doctor` and `reindex`: what is done with all threads at once."""

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
from webapp.threads.backend import KINDS, Kind, open_store
from webapp.threads.doctor import Examination, examine
from webapp.threads.findings import counted
from webapp.threads.instance import InstanceLock
from webapp.threads.mending import repair
from webapp.threads.migration import migrate as move
from webapp.threads.observed import StoredSource


def data_option(command: Callable[..., Any]) -> Callable[..., Any]:
    text = "Where threads are kept, if not in the usual place."
    return click.option("--data", metavar="FOLDER", default=None, help=text)(command)


@click.command()
@click.option("--to", type=click.Choice(KINDS), required=True, help="How to keep threads.")
@data_option
def migrate(to: Kind, data: str | None) -> None:
    """Keep all threads in one SQLite file, or in directories.

    They are copied, counted and compared message by message before the new store is used. The
    old data stays."""
    root = existing(data)
    with held(root):
        done = move(root, to, now_ms)
    if done is None:
        say([f"The threads are already kept in {to}."])
        return
    say(done.complaints)
    what = f"{counted(done.threads, 'thread')}, {done.trashed:,} in the trash"
    say([f"{what}, {counted(done.messages, 'message')}: copied and compared."])
    if done.aside is not None:
        say([f"What an earlier migration had left is in {done.aside}."])
    say([f"From now on they are kept in {to}; the old data stays in {root}."])


@click.command()
@data_option
def reindex(data: str | None) -> None:
    """Rebuild the search index of everything that was said.

    Strata builds it and keeps it up to date by itself; use this when a search misses something."""
    root = existing(data)
    with held(root):
        store = open_store(root, now_ms)
        finder = Finder(root / "cache", StoredSource(store, root))
        try:
            count = finder.indexer.rebuild(_tell_progress)
        finally:
            finder.close()
            store.close()
    again = "Search by meaning is rebuilt bit by bit while Strata runs."
    say([f"{count:,} messages and titles can be found.", again])


@click.command()
@click.option("--repair", "mend", is_flag=True, help="Mend what can be, after making a copy.")
@data_option
def doctor(mend: bool, data: str | None) -> None:
    """Say what is wrong with the threads on this machine. Exits with 1 if anything is."""
    root = existing(data)
    if mend:
        with held(root):
            done = repair(root, now_ms)
        if done.copy is not None:
            mended = len(done.before.findings) - len(done.after.findings)
            say(str(finding) for finding in done.before.findings if finding.mendable)
            say([f"{counted(mended, 'thing')} mended; everything as it was is in {done.copy}."])
        found = done.after
    else:
        found = examine(root)
    _report(found)
    sys.exit(1 if found.findings else 0)


def _tell_progress(done: int, total: int) -> None:
    if done == total or not done % 100:
        click.echo(f"{done:,} of {counted(total, 'thread')}", err=True)


def root_of(data: str | None) -> Path:
    settings, complaints = load(os.environ, {"data": data})
    for complaint in complaints:
        click.echo(printable(complaint), err=True)
    return settings.data


def existing(data: str | None) -> Path:
    root = root_of(data)
    if not root.is_dir():
        raise NotFound(f"There is no data directory at {root}.", "Name another with --data.")
    return root


@contextmanager
def held(root: Path) -> Iterator[None]:
    """Refuses while a server runs on the directory."""
    lock = InstanceLock(root)
    try:
        yield
    finally:
        lock.release()


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def _report(found: Examination) -> None:
    say(found.notes)
    say(map(str, found.findings))
    looked = f"Looked at {counted(found.threads, 'thread')}, {counted(found.messages, 'message')}."
    if not found.findings:
        say([f"{looked} All is well."])
        return
    way_out = ""
    if any(finding.mendable for finding in found.findings):
        way_out = " `strata doctor --repair` makes a copy and mends what it can."
    say([f"{looked} {counted(len(found.findings), 'thing')} found.{way_out}"])


def say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(printable(line))
