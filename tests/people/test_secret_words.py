"""Passwords, codes and tokens."""

import threading

import pytest
from argon2 import PasswordHasher

from webapp.errors import BadInput, Busy
from webapp.people import secret_words
from webapp.people.secret_words import (
    LONGEST_PASSWORD,
    Passwords,
    fingerprint,
    new_code,
    new_token,
    read_code,
    same,
    shown_code,
)


def test_a_password_is_kept_as_a_hash_that_takes_memory_and_fits_only_itself():
    passwords = Passwords()
    kept = passwords.hashed("correct horse")
    assert kept.startswith("$argon2id$")
    assert "m=65536" in kept
    assert passwords.fits(kept, "correct horse")
    assert not passwords.fits(kept, "correct horsf")


def test_in_a_crowd_one_is_told_instead_of_waiting_for_ever(passwords, monkeypatch):
    monkeypatch.setattr(secret_words, "WAIT_SECONDS", 0.01)
    with (
        passwords._turn(),
        passwords._turn(),
        pytest.raises(Busy, match="Many people are signing in"),
    ):
        passwords.hashed("correct horse")
    assert passwords.hashed("correct horse")


def test_two_people_with_one_password_have_different_hashes(passwords):
    assert passwords.hashed("correct horse") != passwords.hashed("correct horse")


@pytest.mark.parametrize("word", ["", "short", "x" * (LONGEST_PASSWORD + 1)])
def test_too_short_and_too_long_passwords_are_told(passwords, word):
    with pytest.raises(BadInput, match="too"):
        passwords.hashed(word)


def test_the_longest_password_counts_to_its_last_character(passwords):
    long = "x" * LONGEST_PASSWORD
    kept = passwords.hashed(long)
    assert passwords.fits(kept, long)
    assert not passwords.fits(kept, long + "x")
    assert not passwords.fits(kept, long[:-1] + "y")


@pytest.mark.parametrize(
    ("chosen", "typed"),
    [
        ("Zu\u0308rich 2026", "Z\u00fcrich 2026"),
        ("\ud800 half a character", "\ud800 half a character"),
    ],
)
def test_a_password_fits_whichever_keyboard_wrote_it(passwords, chosen, typed):
    assert passwords.fits(passwords.hashed(chosen), typed)


@pytest.mark.parametrize("kept", ["", "not a hash", "$argon2id$v=19$m=8,t=1,p=1$x$y"])
def test_nothing_fits_what_is_no_hash(passwords, kept):
    assert not passwords.fits(kept, "")
    assert not passwords.fits(kept, "correct horse")


def test_an_unknown_person_takes_as_much_work_as_a_known_one():
    class Counted(PasswordHasher):
        calls = 0

        def verify(self, hash, password):
            Counted.calls += 1
            return super().verify(hash, password)

    passwords = Passwords(Counted(time_cost=1, memory_cost=8, parallelism=1))
    assert not passwords.fits("", "correct horse")
    assert not passwords.fits(passwords.hashed("correct horse"), "wrong horse")
    assert Counted.calls == 2


def test_no_more_than_two_are_hashed_at_once():
    class Watched(PasswordHasher):
        def __init__(self):
            super().__init__(time_cost=1, memory_cost=8, parallelism=1)
            self.lock, self.now, self.most = threading.Lock(), 0, 0

        def hash(self, password, **more):
            with self.lock:
                self.now += 1
                self.most = max(self.most, self.now)
            made = super().hash(password, **more)
            with self.lock:
                self.now -= 1
            return made

    watched = Watched()
    passwords = Passwords(watched)
    crowd = [threading.Thread(target=passwords.hashed, args=("correct horse",)) for _ in range(20)]
    for each in crowd:
        each.start()
    for each in crowd:
        each.join()
    assert watched.most <= secret_words._AT_ONCE


def test_codes_can_be_read_aloud_and_typed_in_any_way():
    code = new_code()
    assert len(code) == 8
    assert not set(code) & set("ILOU")
    assert read_code(shown_code(code).lower()) == code
    assert read_code(f" {code[:2]} {code[2:]} ") == code
    assert read_code("oil0-1234") == "01101234"
    assert len({new_code() for _ in range(200)}) == 200


def test_tokens_have_256_bits_and_are_kept_as_hashes():
    assert len({new_token() for _ in range(200)}) == 200
    assert len(new_token()) >= 43
    token = new_token()
    assert token not in fingerprint(token)
    assert same(token, token)
    assert not same(token, new_token())
    assert not same("\ud800", "\udfff")
