"""`strata models`: which models there are, fetch them, check them, remove them."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import click

from webapp.engines.catalog import Catalog, Entry, load_catalog
from webapp.engines.hub_entry import hub_entry, is_hub_reference
from webapp.engines.memory import available_bytes
from webapp.engines.progress import Progress, Step
from webapp.engines.shelf import Item, Shelf
from webapp.settings import Settings, load
from webapp.terminal import printable

_LINE_SECONDS = 10.0
_BAR_WIDTH = 24


@click.group()
@click.option(
    "--models",
    "folder",
    metavar="FOLDER",
    help=f"Where model files are kept.  [default: {Settings.models}]",
)
@click.pass_context
def models(context: click.Context, folder: str | None) -> None:
    """The model files on this machine."""
    settings, complaints = load(os.environ, {"models": folder})
    for complaint in complaints:
        click.echo(complaint, err=True)
    context.obj = Shelf(settings.models)


@models.command("list")
@click.pass_obj
def list_models(shelf: Shelf) -> None:
    """The catalogue, and other GGUF files in the models folder."""
    catalog = load_catalog()
    for item in shelf.items(catalog):
        click.echo(_row(item))
    click.echo(f"Folder: {printable(str(shelf.folder))}")


@models.command()
@click.argument("names", nargs=-1, metavar="[NAME | OWNER/REPOSITORY/FILE.gguf]...")
@click.option("--small", is_flag=True, help="Without names, fetch the small chat model.")
@click.pass_obj
def add(shelf: Shelf, names: tuple[str, ...], small: bool) -> None:
    """Fetch models: by name, or a GGUF from the model hub. Without names, the starter models for
    this machine. A download that was interrupted goes on where it stopped."""
    catalog = load_catalog()
    for entry in _wanted(catalog, names, small):
        fetch_with_progress(shelf, entry, sys.stderr)


@models.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.pass_obj
def remove(shelf: Shelf, names: tuple[str, ...]) -> None:
    """Delete models from the models folder."""
    catalog = load_catalog()
    for item in [shelf.item(catalog, name) for name in names]:
        if item.state == "absent":
            click.echo(f"{printable(item.name)} is not here.")
            continue
        shelf.remove(item)
        click.echo(f"Removed {printable(item.name)} ({size_in_words(item.begun or item.bytes)}).")


@models.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.pass_obj
def verify(shelf: Shelf, names: tuple[str, ...]) -> None:
    """Read the model files and compare their sha256. Without names, all that are here."""
    catalog = load_catalog()
    items = [shelf.item(catalog, name) for name in names] or [
        item for item in shelf.items(catalog) if item.state in ("present", "damaged")
    ]
    verdicts = [_verify(shelf, item) for item in items]
    if "damaged" in verdicts:
        sys.exit(1)


def fetch_with_progress(shelf: Shelf, entry: Entry, out: TextIO) -> Path:
    """Fetch unless it is there, with a bar on a terminal and a few plain lines elsewhere."""
    there = shelf.path_of(entry)
    if there is not None:
        click.echo(f"{entry.title}: here already.", file=out)
        return there
    begun = time.monotonic()
    path = shelf.fetch(entry, shown_on(out, entry.title))
    seconds = time.monotonic() - begun
    click.echo(
        f"{entry.title}: {size_in_words(path.stat().st_size)} in {_duration(seconds)}.", file=out
    )
    return path


def _wanted(catalog: Catalog, names: tuple[str, ...], small: bool) -> list[Entry]:
    if not names:
        return list(catalog.starters(available_bytes(), small))
    return [
        hub_entry(name, catalog) if is_hub_reference(name) else catalog.entry(name)
        for name in names
    ]


def _verify(shelf: Shelf, item: Item) -> str:
    words = {
        "good": "good",
        "damaged": f"damaged. Run 'strata models remove {item.name}' and add it again.",
        "unknown": "looks whole; its sha256 is not known here",
    }
    verdict = shelf.verify(item, shown_on(sys.stderr, item.title))
    click.echo(f"{printable(item.name)}: {printable(words[verdict])}")
    return verdict


def _row(item: Item) -> str:
    state = {
        "present": "here",
        "absent": "not here",
        "begun": f"{size_in_words(item.begun)} fetched",
        "damaged": "damaged",
    }[item.state]
    about = item.problem or item.title
    name, about = printable(item.name), printable(about)
    return f"{name:<24} {item.role or '?':<10} {size_in_words(item.bytes):>8}  {state:<14} {about}"


def shown_on(out: TextIO, title: str) -> Progress:
    return _Bar(out, title) if out.isatty() else _Lines(out, title)


class _Bar:
    """One line that is written over, on a terminal."""

    def __init__(self, out: TextIO, title: str) -> None:
        self._out = out
        self._title = title

    def __call__(self, step: Step) -> None:
        share = step.done / step.total if step.total else 0.0
        bar = ("#" * round(share * _BAR_WIDTH)).ljust(_BAR_WIDTH, ".")
        line = f"{self._title}: [{bar}] {share:4.0%} {_words(step)}"
        most = shutil.get_terminal_size().columns - 1
        self._out.write("\r" + line[:most].ljust(most))
        if step.total and step.done >= step.total:
            self._out.write("\r" + " " * most + "\r")
        self._out.flush()


class _Lines:
    """A line per stage and every ten seconds, for logs."""

    def __init__(
        self, out: TextIO, title: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._out = out
        self._title = title
        self._clock = clock
        self._stage = ""
        self._told = 0.0

    def __call__(self, step: Step) -> None:
        now = self._clock()
        if step.stage == self._stage and now - self._told < _LINE_SECONDS:
            return
        self._stage, self._told = step.stage, now
        share = f" {step.done / step.total:.0%}" if step.total else ""
        click.echo(f"{self._title}:{share} {_words(step)}", file=self._out)


def _words(step: Step) -> str:
    words = [step.stage]
    if step.rate is not None and step.stage.startswith("downloading"):
        words.append(f"{size_in_words(round(step.rate))}/s")
    if step.seconds_left is not None and step.done < step.total:
        words.append(f"{_duration(step.seconds_left)} left")
    return ", ".join(words)


def size_in_words(size: int) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} B"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60:02d} s" if whole < 3600 else f"{whole / 3600:.1f} h"
