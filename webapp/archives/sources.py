"""A file that somebody brings: what made it, and what can be read from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Protocol

from webapp import durable
from webapp.archives import (
    from_chatgpt,
    from_claude,
    from_jan,
    from_librechat,
    from_strata,
    from_webui,
)
from webapp.archives.as_json import MANIFEST
from webapp.archives.come import Come, DamagedCome, FileCome, Source, ThreadCome, stable_id
from webapp.archives.json_text import TOO_DEEP, Item, items, loaded
from webapp.archives.safe_zip import SafeZip, is_zip, opened
from webapp.archives.unnested import unnested
from webapp.documents.file_facts import FileFacts
from webapp.documents.files import Stream
from webapp.errors import BadInput
from webapp.threads.about import title_in

READ: Final = (
    "Strata reads its own zip and JSON, and exports from ChatGPT, Claude, Open WebUI, LibreChat "
    "and Jan."
)
_LISTS: Final = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")
_Opener = Callable[[], AbstractContextManager[Stream]]


class Program(Protocol):
    """A module that knows the threads of one program."""

    PROGRAM: str

    def is_one(self, value: Mapping[str, Any]) -> bool: ...

    def thread_of(self, value: Mapping[str, Any]) -> ThreadCome: ...


# A plain list of messages is Open WebUI's, unless it is known to be another's.
PROGRAMS: Final[tuple[Program, ...]] = (
    from_strata,
    from_chatgpt,
    from_claude,
    from_librechat,
    from_webui,
)


@contextmanager
def source(path: Path, now_ms: int) -> Iterator[Source]:
    """To be read while it is open, as often as one likes. A folder is Jan's. Raises BadInput with
    a sentence for what nothing can be read from, NotFound for a folder of another."""
    if path.is_dir():
        yield from_jan.source_in(path, now_ms)
        return
    if not is_zip(path):
        yield _of_lists([partial(_file, path)], {})
        return
    with opened(path) as archive:
        yield _of_zip(archive, now_ms)


def _of_zip(archive: SafeZip, now_ms: int) -> Source:
    if MANIFEST in archive.names:
        return from_strata.source_of(archive)
    names = archive.names
    lists = _lists(names)
    jan = from_jan.source_of(archive, now_ms)
    if jan is not None:
        return jan
    if not lists:
        raise BadInput("There is nothing in this zip that Strata can read.", READ)
    beside = {name.rpartition("/")[2]: name for name in sorted(set(names).difference(lists))}
    files = {
        name: FileCome(
            FileFacts(stable_id(name), name), archive.size(at), partial(archive.open, at)
        )
        for name, at in beside.items()
    }
    return _of_lists([partial(archive.open, name) for name in lists], files)


def _lists(names: Sequence[str]) -> list[str]:
    """Where threads may be: in lists by their usual name, else in what lies at the top, else in
    any folder."""
    texts = [each for each in names if each.endswith(".json") and not each.startswith("__MACOSX/")]
    at_top = [each for each in texts if "/" not in each]
    return sorted(filter(_LISTS.fullmatch, texts)) or at_top or texts


def _of_lists(openers: Iterable[_Opener], files: Mapping[str, FileCome]) -> Source:
    """Lists of threads, whose attached files lie beside them."""
    known = list(openers)
    for value in _values(known):
        program = _program(value) if isinstance(value, Mapping) else None
        if program is not None:
            return Source(program.PROGRAM, partial(_threads, known, files))
    raise BadInput("This file holds no thread from a program that Strata knows.", READ)


def _values(openers: Iterable[_Opener]) -> Iterator[Any]:
    for item in _items(openers):
        with suppress(BadInput):
            yield _value(item)


def _threads(openers: Iterable[_Opener], files: Mapping[str, FileCome]) -> Iterator[Come]:
    for number, item in enumerate(_items(openers), 1):
        try:
            yield _thread(item, files)
        except BadInput as error:
            yield DamagedCome(title_in(item.data) or f"No. {number:,}", str(error))


def _items(openers: Iterable[_Opener]) -> Iterator[Item]:
    for opener in openers:
        with opener() as stream:
            yield from items(stream)


def _thread(item: Item, files: Mapping[str, FileCome]) -> ThreadCome:
    value = _value(item)
    program = _program(value) if isinstance(value, Mapping) else None
    if program is None:
        raise BadInput("It is not a thread from a program that Strata knows.")
    come = program.thread_of(value)
    if program is from_chatgpt and files:
        return replace(come, files=tuple(_attached(value, files)))
    return come


def _value(item: Item) -> Any:
    """Raises BadInput with a sentence."""
    if item.trouble == TOO_DEEP:
        item = next(items(BytesIO(unnested(item.data))))
    if item.trouble:
        raise BadInput(item.trouble)
    return loaded(item.data)


def _program(value: Mapping[str, Any]) -> Program | None:
    return next((each for each in PROGRAMS if each.is_one(value)), None)


def _attached(value: Mapping[str, Any], files: Mapping[str, FileCome]) -> Iterator[FileCome]:
    """They lie there under their ids, with their names behind these."""
    for id, name in from_chatgpt.attached(value).items():
        place = next((each for each in files if each == id or each.startswith(f"{id}-")), None)
        place = place or next((each for each in files if each.startswith(f"{id}.")), None)
        if place is not None:
            yield replace(files[place], facts=FileFacts(stable_id(id), name))


@contextmanager
def _file(path: Path) -> Iterator[Stream]:
    with durable.reading(path), path.open("rb") as stream:
        yield stream
