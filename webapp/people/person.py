"""A person of this house, and a code with which one becomes one or gets a new password."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, TypeVar

from webapp.errors import BadInput

LONGEST_NAME: Final = 40


@dataclass(frozen=True)
class Person:
    """`password` is a hash, empty until one is chosen; `joined` in milliseconds since 1970."""

    id: str
    name: str
    is_owner: bool = False
    password: str = ""
    joined: int = 0


@dataclass(frozen=True)
class OneTimeCode:
    """Good once, until `until` (milliseconds since 1970), for the person with id `person`, or for
    somebody new when that is empty."""

    hash: str
    until: int
    person: str = ""


@dataclass(frozen=True)
class Roll:
    """Everything that is kept about people. `access_code` lets anyone join who knows it; empty
    when that is switched off."""

    people: tuple[Person, ...] = ()
    codes: tuple[OneTimeCode, ...] = ()
    access_code: str = ""

    def person(self, person_id: str) -> Person | None:
        return next((each for each in self.people if each.id == person_id), None)

    def named(self, name: str) -> Person | None:
        key = name_key(name)
        return next((each for each in self.people if name_key(each.name) == key), None)

    def owner(self) -> Person | None:
        return next((each for each in self.people if each.is_owner), None)

    def to_json(self) -> dict[str, Any]:
        people, codes = [asdict(each) for each in self.people], [asdict(c) for c in self.codes]
        return {"version": 1, "people": people, "codes": codes, "access_code": self.access_code}


_Row = TypeVar("_Row", Person, OneTimeCode)
_REQUIRED: Final[dict[str, type]] = {"id": str, "name": str, "hash": str, "until": int}


def roll_from(raw: Mapping[str, Any]) -> Roll:
    """Raises ValueError for anything but what `to_json` gave: half a list lets nobody in."""
    code = raw.get("access_code", "")
    if not isinstance(code, str):
        raise ValueError("access_code")  # noqa: TRY004 - what the file holds
    people = [_made(Person, each) for each in _list(raw, "people")]
    codes = [_made(OneTimeCode, each) for each in _list(raw, "codes")]
    if len({each.id for each in people}) < len(people) or sum(p.is_owner for p in people) > 1:
        raise ValueError("people")
    return Roll(tuple(people), tuple(codes), code)


def checked_name(text: str) -> str:
    """On one line. Raises BadInput with a sentence."""
    wanted = " ".join(_printable(text).split())
    if not name_key(wanted):
        raise BadInput("A person needs a name.", do="Type one.")
    if len(wanted) > LONGEST_NAME:
        raise BadInput(f"This name has {len(wanted)} characters.", do=f"Use up to {LONGEST_NAME}.")
    return wanted


def name_key(name: str) -> str:
    """The same for names that look the same."""
    return " ".join(unicodedata.normalize("NFKC", _printable(name)).casefold().split())


def _printable(text: str) -> str:
    """Without what cannot be seen: controls, marks of direction, lone surrogates."""
    plain = unicodedata.normalize("NFC", text[:2000])
    return "".join(
        " " if each.isspace() else each
        for each in plain
        if each.isspace() or unicodedata.category(each)[0] != "C"
    )


def _list(raw: Mapping[str, Any], name: str) -> list[Any]:
    found = raw.get(name, [])
    if not isinstance(found, list):
        raise ValueError(name)  # noqa: TRY004
    return found


def _made(kind: type[_Row], raw: object) -> _Row:
    if not isinstance(raw, Mapping):
        raise ValueError(kind.__name__)  # noqa: TRY004 - what the file holds, not who calls
    kinds = {field.name: type(field.default) for field in fields(kind)} | _REQUIRED
    known = {name: raw[name] for name in kinds if name in raw and name in kind.__match_args__}
    if any(type(value) is not kinds[name] for name, value in known.items()):
        raise ValueError(kind.__name__)
    try:
        return kind(**known)
    except TypeError as error:
        raise ValueError(kind.__name__) from error
