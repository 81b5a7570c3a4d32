"""Passwords, codes and tokens: made, kept as hashes, compared in the same time whatever they are.

Passwords are hashed with Argon2id, which takes memory on purpose; no more than two at once, so
that a crowd at the door takes no more than that.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from webapp.errors import BadInput, Busy

SHORTEST_PASSWORD: Final = 8
LONGEST_PASSWORD: Final = 500
CODE_CHARACTERS: Final = 8
# Crockford's: no letter that is read as a digit or makes a word.
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS: Final = str.maketrans("OIL", "011")
_AT_ONCE: Final = 2
WAIT_SECONDS: Final = 5.0


class Passwords:
    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._turns = threading.BoundedSemaphore(_AT_ONCE)
        self._nobody = ""
        self._first = threading.Lock()

    def hashed(self, password: str) -> str:
        """Raises BadInput for one that is too short or too long, and Busy."""
        words = checked_password(password)
        with self._turn():
            return self._hasher.hash(words)

    def fits(self, kept: str, password: str) -> bool:
        """Takes as long without a kept one, so that nobody learns who has a password here.
        Raises Busy."""
        against = kept or self._hash_of_nobody()
        with self._turn():
            try:
                return self._hasher.verify(against, _plain(password)) and bool(kept)
            except (Argon2Error, InvalidHashError):
                return False

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Raises Busy when so many stand at the door that none comes free soon."""
        if not self._turns.acquire(timeout=WAIT_SECONDS):
            raise Busy("Many people are signing in at the same time.", do="Try again in a moment.")
        try:
            yield
        finally:
            self._turns.release()

    def _hash_of_nobody(self) -> str:
        with self._first:
            if not self._nobody:
                self._nobody = self._hasher.hash(secrets.token_hex(16))
            return self._nobody


def checked_password(password: str) -> str:
    words = _plain(password)
    if len(words) < SHORTEST_PASSWORD:
        raise BadInput(
            "This password is too short.", do=f"Use {SHORTEST_PASSWORD} characters or more."
        )
    if len(password) > LONGEST_PASSWORD:
        raise BadInput("This password is too long.", do=f"Use up to {LONGEST_PASSWORD} characters.")
    return words


def _plain(password: str) -> str:
    """The same characters whichever keyboard wrote them; more than can be one is cut off."""
    words = unicodedata.normalize("NFC", password[: LONGEST_PASSWORD + 1])
    return words.encode("utf-8", "replace").decode("utf-8")


def new_code() -> str:
    """40 random bits that can be read aloud."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(CODE_CHARACTERS))


def read_code(typed: str) -> str:
    """As it was made, from how a person may type it."""
    return re.sub(r"[\s-]", "", typed[:64]).upper().translate(_READ_AS)


def shown_code(code: str) -> str:
    return f"{code[:4]}-{code[4:]}"


def new_token() -> str:
    """256 random bits for a cookie."""
    return secrets.token_urlsafe(32)


def fingerprint(secret: str) -> str:
    """What is kept of a code or token: it finds the secret again and does not tell it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """In a time that does not tell how much of it is the same."""
    return hmac.compare_digest(fingerprint(one), fingerprint(other))
