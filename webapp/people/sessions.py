"""Who is signed in, on which device. A session is found by its token, of which only a hash is
kept; it ends when it was not used for long, when it is old, or when somebody ends it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from webapp.errors import Damaged, NotFound, StorageFailed
from webapp.people.json_file import JsonFile
from webapp.people.secret_words import fingerprint, new_token

DAY_MS: Final = 24 * 3600 * 1000
IDLE_MS: Final = 14 * DAY_MS
OLD_MS: Final = 90 * DAY_MS
# A look is noted this often, so that reading pages does not write to the disk all the time.
NOTED_MS: Final = 10 * 60 * 1000
MOST_OF_ONE: Final = 50
LONGEST_DEVICE: Final = 200

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Session:
    """`begun` and `seen` in milliseconds since 1970; `device` is what the browser calls itself."""

    id: str
    token_hash: str
    person: str
    begun: int
    seen: int
    device: str
    address: str

    def holds(self, now: int) -> bool:
        return now - self.seen < IDLE_MS and now - self.begun < OLD_MS


class Sessions:
    """Those in `path`. Calls may come from any thread. With a damaged file all sign in again."""

    def __init__(
        self, path: Path, *, clock_ms: Callable[[], int], new_id: Callable[[], str]
    ) -> None:
        self._file = JsonFile(path)
        self._clock_ms = clock_ms
        self._new_id = new_id
        self._lock = threading.Lock()
        self._known: dict[str, Session] | None = None

    def begin(self, person: str, device: str, address: str, instead_of: str = "") -> str:
        """A new session and its token; `instead_of` is the token that the browser had before, and
        is no good from now on. Durable."""
        token, now = new_token(), self._clock_ms()
        session = Session(
            self._new_id(), fingerprint(token), person, now, now, device[:LONGEST_DEVICE], address
        )
        with self._lock:
            left = self._holding(now)
            left.pop(fingerprint(instead_of), None)
            own = sorted((s for s in left.values() if s.person == person), key=lambda s: s.seen)
            for oldest in own[: max(0, len(own) - MOST_OF_ONE + 1)]:
                del left[oldest.token_hash]
            left[session.token_hash] = session
            self._keep(left)
        return token

    def find(self, token: str) -> Session | None:
        """The one of this token, while it holds; that it was used is noted now and then."""
        if not token:
            return None
        now = self._clock_ms()
        with self._lock:
            known = self._loaded()
            session = known.get(fingerprint(token))
            if session is None or not session.holds(now):
                return None
            if now - session.seen >= NOTED_MS:
                session = replace(session, seen=now)
                self._note({**known, session.token_hash: session})
            return session

    def of(self, person: str | None = None) -> list[Session]:
        """All, or those of one person; last used first."""
        with self._lock:
            found = self._holding(self._clock_ms()).values()
        chosen = [each for each in found if person in (None, each.person)]
        return sorted(chosen, key=lambda each: (-each.seen, each.id))

    def end(self, session_id: str, person: str | None = None) -> Session:
        """Of that person only, if one is given. Raises NotFound."""
        with self._lock:
            left = self._holding(self._clock_ms())
            for key, each in left.items():
                if each.id == session_id and person in (None, each.person):
                    self._keep({k: v for k, v in left.items() if k != key})
                    return each
        raise NotFound("This session has already ended.", do="Reload the page.")

    def end_all(self, person: str, but: str = "") -> int:
        """All of a person, except the one with id `but`; how many."""
        with self._lock:
            held = self._holding(self._clock_ms())
            left = {k: v for k, v in held.items() if v.person != person or v.id == but}
            self._keep(left)
        return len(held) - len(left)

    # --- inside ---

    def _holding(self, now: int) -> dict[str, Session]:
        return {key: each for key, each in self._loaded().items() if each.holds(now)}

    def _loaded(self) -> dict[str, Session]:
        if self._known is None:
            try:
                raw = self._file.read().get("sessions")
            except Damaged as error:
                log.warning("%s", error)
                raw = None
            found = [_session(each) for each in raw] if isinstance(raw, list) else []
            self._known = {each.token_hash: each for each in found if each is not None}
        return self._known

    def _keep(self, sessions: dict[str, Session]) -> None:
        self._file.write({"sessions": [asdict(each) for each in sessions.values()]})
        self._known = sessions

    def _note(self, sessions: dict[str, Session]) -> None:
        """A disk that refuses a note does not keep its reader out."""
        try:
            self._keep(sessions)
        except StorageFailed as error:
            log.warning("%s", error)
            self._known = sessions


def _session(raw: Any) -> Session | None:
    if not isinstance(raw, Mapping):
        return None
    kinds = {
        field.name: int if field.name in ("begun", "seen") else str for field in fields(Session)
    }
    if any(type(raw.get(name)) is not kind for name, kind in kinds.items()):
        return None
    return Session(**{name: raw[name] for name in kinds})
