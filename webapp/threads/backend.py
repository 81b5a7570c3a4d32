"""Which kind of store a data directory uses: a line in `store.toml`, written by `strata migrate`.

It stands beside the threads and not among the settings, so that no variable and no option can open
yesterday's store over today's threads.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, get_args

from webapp import durable
from webapp.errors import Damaged, StorageFailed
from webapp.threads.database import FILE as DATABASE
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.sqlite import SqliteThreadStore
from webapp.threads.store import ThreadStore

Kind = Literal["jsonl", "sqlite"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
MARK: Final = "store.toml"

_TEXT: Final = """\
# How the threads of this data directory are kept. Written by `strata migrate`; a change by hand
# moves nothing, it opens other threads.
store = "{}"
"""


def open_store(root: Path, clock_ms: Callable[[], int]) -> ThreadStore:
    """The store that this data directory uses; a new directory gets one of directories. Raises
    StorageFailed or Damaged rather than begin an empty one where threads are missing."""
    if kind_of(root) == "jsonl":
        return JsonlThreadStore(root, clock_ms)
    path = root / DATABASE
    if not path.exists() or not path.stat().st_size:
        raise lost(root)
    return SqliteThreadStore(root, clock_ms)


def lost(root: Path) -> StorageFailed:
    """Threads are said to be in a database that is not there."""
    return StorageFailed(
        f"{root / DATABASE} is not there, and {root / MARK} says that the threads are in it.",
        "Put the file back, from a backup if there is one.",
    )


def kind_of(root: Path) -> Kind:
    """Raises Damaged when it cannot be told."""
    path = root / MARK
    try:
        with durable.reading(path):
            text = path.read_text("utf-8")
    except StorageFailed as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        return _unmarked(root)
    except ValueError:
        raise _unreadable(path) from None
    try:
        found = tomllib.loads(text).get("store")
    except tomllib.TOMLDecodeError:
        found = None
    for kind in KINDS:
        if found == kind:
            return kind
    raise _unreadable(path)


def choose(root: Path, kind: Kind) -> None:
    """From now on `open_store` opens that kind. Durable."""
    durable.replace(root / MARK, _TEXT.format(kind).encode())


def _unmarked(root: Path) -> Kind:
    if (root / DATABASE).exists():
        raise _unreadable(root / MARK)
    return "jsonl"


def _unreadable(path: Path) -> Damaged:
    return Damaged(
        f"{path} does not say how the threads are kept.",
        'Write store = "jsonl" or store = "sqlite" into it, whichever was used last.',
    )
