"""The people of this house, kept in one file: who belongs to it, and by which code others join."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from webapp.errors import BadInput, Conflict, Damaged, Forbidden, NotFound
from webapp.people.json_file import JsonFile
from webapp.people.person import OneTimeCode, Person, Roll, checked_name, roll_from
from webapp.people.secret_words import fingerprint, new_code, read_code, same

CODE_MS: Final = 7 * 24 * 3600 * 1000
MOST_PEOPLE: Final = 100
MOST_CODES: Final = 50


class Register:
    """Those in `path`. Calls may come from any thread. Every method raises Damaged when the file
    cannot be read as a whole; then it is never written to, and nobody is let in."""

    def __init__(
        self, path: Path, *, clock_ms: Callable[[], int], new_id: Callable[[], str]
    ) -> None:
        self._file = JsonFile(path)
        self._clock_ms = clock_ms
        self._new_id = new_id
        self._lock = threading.Lock()
        self._known: tuple[object, Roll] | None = None

    def roll(self) -> Roll:
        with self._lock:
            return self._read()

    def open_house(self) -> str:
        """An owner and an access code, if there are none; a one-time code for the owner as long as
        there is no password, else an empty text."""
        with self._lock:
            roll = self._read()
            owner = roll.owner()
            if owner is None:
                owner = Person(self._new_id(), "", is_owner=True, joined=self._clock_ms())
                roll = replace(roll, people=(owner, *roll.people), access_code=new_code())
            elif owner.password:
                return ""
            return self._with_code(roll, owner.id)

    def invite(self, person_id: str = "") -> str:
        """A one-time code for somebody new, or for a new password of that person, whose earlier
        ones are no good any more. Raises NotFound, or Conflict when too many are open."""
        with self._lock:
            roll = self._read()
            if person_id and roll.person(person_id) is None:
                raise _nobody()
            return self._with_code(roll, person_id)

    def new_access_code(self) -> str:
        with self._lock:
            code = new_code()
            self._write(replace(self._read(), access_code=code))
            return code

    def drop_access_code(self) -> None:
        """From now on only one-time codes let anybody join."""
        with self._lock:
            self._write(replace(self._read(), access_code=""))

    def drop_codes(self) -> int:
        """All one-time codes that nobody has used; how many there were."""
        with self._lock:
            roll = self._read()
            self._write(replace(roll, codes=()))
            return len(self._open_codes(roll))

    def meant_by(self, typed: str) -> Person | None:
        """Whose new password a code allows; None when it is for somebody new. Raises Forbidden
        for a code that is none, was used, or is too old."""
        with self._lock:
            return self._meant(self._read(), read_code(typed))

    def join(self, typed: str, name: str, password: str) -> Person:
        """With a code and the hash of a password: somebody new, or someone known with that
        password (and that name, where they had none). A one-time code is used up. Durable.
        Raises Forbidden, BadInput, or Conflict for a name that is taken."""
        code = read_code(typed)
        with self._lock:
            roll = self._read()
            known = self._meant(roll, code)
            wanted = known.name if known is not None and known.name else checked_name(name)
            if (namesake := roll.named(wanted)) is not None and namesake != known:
                raise BadInput("Somebody here already has this name.", do="Choose another.")
            if known is None and len(roll.people) >= MOST_PEOPLE:
                raise Conflict("Nobody else can join.", do="Ask the owner to remove somebody.")
            base = known or Person(self._new_id(), wanted, joined=self._clock_ms())
            person = replace(base, name=wanted, password=password)
            others = tuple(each for each in roll.people if each.id != person.id)
            codes = tuple(each for each in roll.codes if not same(each.hash, fingerprint(code)))
            self._write(replace(roll, people=(*others, person), codes=codes))
            return person

    def set_password(self, person_id: str, password: str) -> None:
        """A hash. Raises NotFound."""
        with self._lock:
            roll = self._read()
            if roll.person(person_id) is None:
                raise _nobody()
            changed = tuple(
                replace(each, password=password) if each.id == person_id else each
                for each in roll.people
            )
            self._write(replace(roll, people=changed))

    def remove(self, person_id: str) -> Person:
        """What was theirs is nobody's from now on, and so the owner's. Raises NotFound, or
        Conflict for the owner."""
        with self._lock:
            roll = self._read()
            person = roll.person(person_id)
            if person is None:
                raise _nobody()
            if person.is_owner:
                raise Conflict("The owner cannot be removed.", do="Remove others instead.")
            people = tuple(each for each in roll.people if each.id != person_id)
            codes = tuple(each for each in roll.codes if each.person != person_id)
            self._write(replace(roll, people=people, codes=codes))
            return person

    # --- inside ---

    def _read(self) -> Roll:
        raw = self._file.read()
        if self._known is None or self._known[0] is not raw:
            try:
                self._known = raw, roll_from(raw)
            except ValueError as error:
                raise Damaged(
                    f"{self._file.path} holds something other than people, so nobody can sign in.",
                    do="Put back a copy of it, or move it away to start afresh.",
                ) from error
        return self._known[1]

    def _write(self, roll: Roll) -> None:
        self._file.write({**self._file.read(), **roll.to_json()})

    def _open_codes(self, roll: Roll) -> tuple[OneTimeCode, ...]:
        now = self._clock_ms()
        return tuple(each for each in roll.codes if each.until > now)

    def _with_code(self, roll: Roll, person_id: str) -> str:
        kept = [c for c in self._open_codes(roll) if not person_id or c.person != person_id]
        if len(kept) >= MOST_CODES:
            raise Conflict("Too many codes are open.", do="Void them, then make a new one.")
        code = new_code()
        made = OneTimeCode(fingerprint(code), self._clock_ms() + CODE_MS, person_id)
        self._write(replace(roll, codes=(*kept, made)))
        return code

    def _meant(self, roll: Roll, code: str) -> Person | None:
        """Every code is compared, so that the time tells nothing."""
        given = fingerprint(code)
        found = [each for each in self._open_codes(roll) if same(each.hash, given)]
        lasting = same(roll.access_code, code) and bool(roll.access_code)
        if found and (person := roll.person(found[0].person)) is not None:
            return person
        if lasting or (found and not found[0].person):
            return None
        raise Forbidden(
            "This code is wrong or no longer valid.",
            do="Check that it is typed as it was shown, or ask for a new one.",
        )


def _nobody() -> NotFound:
    return NotFound("There is no such person here.", do="Reload the page.")
