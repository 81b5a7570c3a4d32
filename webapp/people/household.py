"""The door: joining, signing in and out, and who comes with a request. One for each data directory.

Without sharing there is one person, who needs no password, and nothing here touches the disk.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from webapp.errors import BadInput, Forbidden, TooOften
from webapp.people.audit import AuditLog
from webapp.people.permission import Member
from webapp.people.person import Person, name_key
from webapp.people.quota import Quota
from webapp.people.register import Register
from webapp.people.secret_words import Passwords, checked_password
from webapp.people.sessions import Session, Sessions
from webapp.people.throttle import Failures, Try, guest_at
from webapp.people.welcome import Welcome

FOLDER: Final = "people"
MINUTE_MS: Final = 60_000
# Of one person: forms with files in a minute, and what they hold in an hour.
MOST_UPLOADS: Final = 30
MOST_UPLOAD_BYTES: Final = 2_000_000_000


@dataclass(frozen=True)
class Guest:
    """Who stands at the door: from where, with which device, and the token that it had."""

    address: str
    device: str = ""
    token: str = ""


@dataclass(frozen=True)
class Visit:
    member: Member
    session: Session


@dataclass(frozen=True)
class _Tries:
    """Where one try is counted, and its moment."""

    each: tuple[Try, ...]
    at: int


class Household:
    """`clock_ms` gives milliseconds since 1970, `new_id` a fresh id."""

    def __init__(
        self,
        data: Path,
        *,
        shared: bool,
        clock_ms: Callable[[], int],
        new_id: Callable[[], str],
        passwords: Passwords | None = None,
    ) -> None:
        folder = data / FOLDER
        self.shared = shared
        self.register = Register(folder / "people.json", clock_ms=clock_ms, new_id=new_id)
        self.sessions = Sessions(folder / "sessions.json", clock_ms=clock_ms, new_id=new_id)
        self.welcome = Welcome(data)
        self.audit = AuditLog(folder / "audit.jsonl", clock_ms)
        self._passwords = passwords or Passwords()
        self.uploads = Quota(MOST_UPLOADS, MINUTE_MS, "uploads")
        self.upload_bytes = Quota(MOST_UPLOAD_BYTES, 60 * MINUTE_MS, "bytes")
        self._failures = Failures()
        self._counting = threading.Lock()
        self._clock_ms = clock_ms

    def visit(self, token: str) -> Visit | None:
        """Who comes with this token. Raises Damaged or StorageFailed: then nobody does."""
        session = self.sessions.find(token)
        person = self.register.roll().person(session.person) if session else None
        if session is None or person is None:
            return None
        return Visit(Member(person.id, person.name, person.is_owner), session)

    def take_upload(self, person: str) -> None:
        """Raises TooOften; never without sharing."""
        if self.shared:
            self.uploads.take(person, 1, self._clock_ms())

    def take_bytes(self, person: str, size: int) -> None:
        """Before any of them is read. Raises TooOften; never without sharing."""
        if self.shared:
            self.upload_bytes.take(person, size, self._clock_ms())

    def sign_in(self, name: str, password: str, guest: Guest) -> str:
        """The token of a new session. Raises Forbidden, which does not say whether the name or the
        password is wrong, or TooOften."""
        person = self.register.roll().named(name)
        tries = self._tries(guest, name_key(name), person)
        self._count(tries)
        if not self._passwords.fits(person.password if person else "", password) or person is None:
            self.audit.note(person.id if person else "", "sign-in refused", "", guest.address)
            raise Forbidden("The name or the password is wrong.", do="Try again.")
        return self._let_in(person, guest, tries, "signed in")

    def join(self, code: str, name: str, password: str, guest: Guest) -> str:
        """The token of a new session for who has a code. Raises as `Register.join` does, or
        TooOften. A new password ends all sessions that were begun with the old one."""
        checked_password(password)
        # By no name: guesses of a stranger would hold up all who want to join.
        tries = self._tries(guest)
        self._count(tries)
        try:
            self.register.meant_by(code)
        except Forbidden:
            self.audit.note("", "code refused", "", guest.address)
            raise
        person = self.register.join(code, name, self._passwords.hashed(password))
        self.sessions.end_all(person.id)
        return self._let_in(person, guest, tries, "joined")

    def sign_out(self, visit: Visit) -> None:
        self.sessions.end(visit.session.id)
        self.audit.note(visit.member.id, "signed out")

    def change_password(self, visit: Visit, old: str, new: str, guest: Guest) -> None:
        """The other sessions of that person end. Raises BadInput, Forbidden or TooOften."""
        checked_password(new)
        person = self.register.roll().person(visit.member.id)
        tries = self._tries(guest, name_key(person.name if person else ""), person)
        self._count(tries)
        if not self._passwords.fits(person.password if person else "", old):
            raise BadInput("The old password is wrong.", do="Try again.")
        self._forget(tries)
        self.register.set_password(visit.member.id, self._passwords.hashed(new))
        self.sessions.end_all(visit.member.id, but=visit.session.id)
        self.audit.note(visit.member.id, "changed the password")

    def remove(self, person_id: str) -> Person:
        """Their sessions end; their threads are the owner's from now on."""
        person = self.register.remove(person_id)
        self.sessions.end_all(person_id)
        return person

    # --- inside ---

    def _let_in(self, person: Person, guest: Guest, tries: _Tries, what: str) -> str:
        token = self.sessions.begin(person.id, guest.device, guest.address, guest.token)
        self._forget(tries)
        self.audit.note(person.id, what, "", guest.address)
        return token

    def _tries(self, guest: Guest, name: str = "", person: Person | None = None) -> _Tries:
        """Who comes from where that person is signed in is not held up by strangers who guess."""
        where = guest_at(guest.address)
        tries = (Try("address", where),)
        if not name or (person and self._is_at_home(person, where)):
            return _Tries(tries, self._clock_ms())
        return _Tries((*tries, Try("name", name[:100])), self._clock_ms())

    def _is_at_home(self, person: Person, where: str) -> bool:
        return any(guest_at(each.address) == where for each in self.sessions.of(person.id))

    def _count(self, tries: _Tries) -> None:
        """Before a password is looked at, so that many tries at once are many tries."""
        with self._counting:
            wait = self._failures.wait_ms(tries.each, tries.at)
            if wait == 0:
                self._failures.add(tries.each, tries.at)
                return
        seconds = -(-wait // 1000)
        words = "1 second" if seconds == 1 else f"{seconds} seconds"
        raise TooOften("Too many tries.", do=f"Wait {words}, then try again.", seconds=seconds)

    def _forget(self, tries: _Tries) -> None:
        """The failures of the name; those of the address may be guesses at other names."""
        with self._counting:
            self._failures.take_back(tries.each, tries.at)
            self._failures.forget([each for each in tries.each if each.kind == "name"])
