"""The certificate that Strata makes: what it is good for, and when there is a new one."""

import hashlib
import ssl
import sys
from datetime import timedelta

import pytest
from cryptography import x509

from webapp.tls.own import VALID, names_in, own


def leaf(certificate):
    return x509.load_pem_x509_certificate(certificate.file.read_bytes())


def again(made, names, now):
    return own(made.file.parent, names, now)


def test_it_is_good_for_the_machine_and_for_no_other(made):
    assert set(names_in(leaf(made))) == {
        *("localhost", "127.0.0.1", "::1"),
        *("192.168.1.4", "kitchen.local"),
    }
    assert not leaf(made).extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_it_is_made_once(made, now):
    later = again(made, ["kitchen.local"], now + timedelta(days=300))
    assert later.fingerprint == made.fingerprint


def test_it_is_made_anew_before_it_ends(made, now):
    assert again(made, [], now + VALID - timedelta(days=29)).fingerprint != made.fingerprint


def test_a_new_address_makes_a_new_one_that_keeps_the_old(made, now):
    moved = again(made, ["10.0.0.7"], now)
    assert moved.fingerprint != made.fingerprint
    assert {"10.0.0.7", "192.168.1.4"} <= set(names_in(leaf(moved)))
    assert again(made, ["192.168.1.4"], now).fingerprint == moved.fingerprint


@pytest.mark.parametrize("damage", ["", "rubbish", "-----BEGIN CERTIFICATE-----\nAAAA"])
def test_a_damaged_one_is_made_anew(made, now, damage):
    made.file.write_text(damage)
    new = again(made, [], now)
    assert new.fingerprint != made.fingerprint
    new.context()


def test_a_lost_key_makes_a_new_one(made, now):
    made.key.unlink()
    assert again(made, [], now).fingerprint != made.fingerprint


def test_names_that_no_certificate_can_hold_are_left_out(tmp_path, now):
    kept = own(tmp_path, ["my küche", "[2001:db8::5]", "", "a b"], now)
    assert set(names_in(leaf(kept))) == {"localhost", "127.0.0.1", "::1", "2001:db8::5"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_the_key_is_for_nobody_else_to_read(made):
    assert made.key.stat().st_mode & 0o077 == 0


def test_its_fingerprint_is_that_of_what_is_served(made):
    der = ssl.PEM_cert_to_DER_cert(made.file.read_text())
    assert made.fingerprint.replace(":", "").lower() == hashlib.sha256(der).hexdigest()
