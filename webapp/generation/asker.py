"""Who asks, so that people take turns at the model. Noted by the page before anything is done for
them; a run takes it along. Without sharing it is nobody in particular."""

from __future__ import annotations

from contextvars import ContextVar

_person: ContextVar[str] = ContextVar("person", default="")


def ask_for(person: str) -> None:
    """What follows in this thread is done for the person with that id."""
    _person.set(person)


def asker() -> str:
    return _person.get()
