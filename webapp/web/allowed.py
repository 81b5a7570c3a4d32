"""What who calls may do with one thread or project: asked once, and every act on a page goes by it.

Pages offer nobody what the server would refuse; it refuses it all the same (`access.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from flask import Flask, g

from webapp.people.permission import Kind, Thing, is_shared, owns
from webapp.web.access import current_member, may_do
from webapp.web.services import services
from webapp.web.things import of_project, of_thread


@dataclass(frozen=True)
class Allowed:
    """`write` and `own` as `may` means them. `owner` is the name of whose it is, when that is
    somebody else; `shared` when others may see it too."""

    write: bool
    own: bool
    owner: str = ""
    shared: bool = False


EVERYTHING: Final = Allowed(write=True, own=True)
READING: Final = Allowed(write=False, own=False)


def install(app: Flask) -> None:
    app.jinja_env.filters.update(allowed=in_thread, allowed_in_project=in_project)
    app.jinja_env.globals["keeps"] = keeps


def in_thread(thread_id: str) -> Allowed:
    """Raises NotFound."""
    return _once(f"thread {thread_id}", lambda: of_thread(services().library.thread(thread_id)))


def in_project(project_id: str) -> Allowed:
    """Raises NotFound, or Damaged."""
    return _once(
        f"project {project_id}", lambda: of_project(services().projects.project(project_id))
    )


def keeps(kind: Kind) -> bool:
    """Whether who calls looks after what is everybody's: the house, its assistants."""
    return may_do("write", Thing(kind))


def _once(key: str, thing: Callable[[], Thing]) -> Allowed:
    """Looked up once while a request is answered."""
    member = current_member()
    if member is not None and member.alone:
        return EVERYTHING
    known: dict[str, Allowed] = g.setdefault("allowed", {})
    if key not in known:
        known[key] = _allowed(thing())
    return known[key]


def _allowed(thing: Thing) -> Allowed:
    member = current_member()
    owner = "" if member is None or owns(member, thing) else _name(thing)
    return Allowed(may_do("write", thing), may_do("own", thing), owner, is_shared(thing))


def _name(thing: Thing) -> str:
    roll = services().household.register.roll()
    person = roll.person(thing.owner) if thing.owner else roll.owner()
    return person.name if person else ""
