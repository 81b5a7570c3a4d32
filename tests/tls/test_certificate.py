"""A certificate that a person names is looked at before anybody is served with it."""

from datetime import timedelta

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from webapp.errors import BadSetting
from webapp.tls.certificate import given
from webapp.tls.own import VALID


def test_one_that_belongs_together_is_taken(made, now):
    taken = given(made.file, made.key, now)
    assert taken.fingerprint == made.fingerprint
    assert not taken.own
    taken.context()


def test_a_key_of_another_certificate_is_told(made, now, tmp_path):
    other = tmp_path / "other.pem"
    other.write_bytes(pem(ec.generate_private_key(ec.SECP256R1())))
    with pytest.raises(BadSetting, match="does not belong to the certificate"):
        given(made.file, other, now)


@pytest.mark.parametrize(
    ("days", "words"), [(VALID.days, "has expired on 2027-"), (-2, "is valid only from 2026-05-31")]
)
def test_one_that_is_not_valid_now_is_told_with_the_day(made, now, days, words):
    with pytest.raises(BadSetting, match=words):
        given(made.file, made.key, now + timedelta(days=days))


def test_what_is_no_certificate_or_no_key_is_told(made, now, tmp_path):
    rubbish = tmp_path / "rubbish.pem"
    rubbish.write_bytes(b"\xff rubbish")
    with pytest.raises(BadSetting, match="is not a certificate in PEM form"):
        given(rubbish, made.key, now)
    with pytest.raises(BadSetting, match="is not a private key in PEM form"):
        given(made.file, rubbish, now)
    with pytest.raises(BadSetting, match="is not a private key"):
        given(made.file, made.file, now)


def test_what_cannot_be_read_is_told(made, now, tmp_path):
    with pytest.raises(BadSetting, match=r"certificate .*nowhere.* cannot be read \(No such file"):
        given(tmp_path / "nowhere", made.key, now)
    with pytest.raises(BadSetting, match="cannot be read"):
        given(made.file, tmp_path, now)


def test_a_key_with_a_password_is_told(made, now, tmp_path):
    locked = tmp_path / "locked.pem"
    secret = serialization.BestAvailableEncryption(b"word")
    locked.write_bytes(pem(ec.generate_private_key(ec.SECP256R1()), secret))
    with pytest.raises(BadSetting, match="is locked with a password"):
        given(made.file, locked, now)


def pem(key, lock=None):
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return key.private_bytes(*form, lock or serialization.NoEncryption())
