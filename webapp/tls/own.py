"""A certificate that Strata makes for itself: who trusts its fingerprint needs no authority."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from webapp import durable
from webapp.errors import BadSetting
from webapp.tls.certificate import Certificate, fingerprint_of, given

# Some systems trust none that is valid for longer than 398 days.
VALID: Final = timedelta(days=397)
RENEWED_BEFORE: Final = timedelta(days=30)
MOST_NAMES: Final = 40
_ALWAYS: Final = ("localhost", "127.0.0.1", "::1")
_HOST: Final = re.compile(r"[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*")


def own(folder: Path, names: Sequence[str], now: datetime) -> Certificate:
    """The one in `folder`, for the machine with these names and addresses; made when there is
    none, when it ends within a month, or when it lacks one of them. A new one keeps the names of
    the last: a laptop that comes home again is known there. Raises StorageFailed."""
    file, key = folder / "certificate.pem", folder / "key.pem"
    wanted = tuple(dict.fromkeys(name for each in (*_ALWAYS, *names) if (name := _plain(each))))
    known = _kept(file, key, now)
    if known is None or not set(wanted) <= set(known):
        _make(file, key, tuple(dict.fromkeys((*wanted, *(known or ()))))[:MOST_NAMES], now)
    leaf = x509.load_pem_x509_certificate(file.read_bytes())
    return Certificate(file, key, fingerprint_of(leaf), own=True)


def names_in(leaf: x509.Certificate) -> tuple[str, ...]:
    """Host names and addresses that it is good for."""
    found = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return tuple(str(each.value) for each in found)


# --- inside ---


def _kept(file: Path, key: Path, now: datetime) -> tuple[str, ...] | None:
    """The names of the one that is there; None when it cannot serve any longer."""
    try:
        given(file, key, now + RENEWED_BEFORE)
        return names_in(x509.load_pem_x509_certificate(file.read_bytes()))
    except (BadSetting, x509.ExtensionNotFound, OSError, ValueError):
        return None


def _make(file: Path, key: Path, names: Sequence[str], now: datetime) -> None:
    secret = ec.generate_private_key(ec.SECP256R1())
    called = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Strata on this network")])
    start = x509.CertificateBuilder().subject_name(called).issuer_name(called)
    start = start.public_key(secret.public_key()).serial_number(x509.random_serial_number())
    # Clocks of a household differ.
    start = start.not_valid_before(now - timedelta(days=1)).not_valid_after(now + VALID)
    for extension, critical in _extensions(names):
        start = start.add_extension(extension, critical)
    made = start.sign(secret, hashes.SHA256())
    with durable.saving(file):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    pem = serialization.Encoding.PEM
    hidden = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    durable.replace(key, secret.private_bytes(pem, *hidden), mode=durable.OWN)
    durable.replace(file, made.public_bytes(pem))


def _extensions(names: Sequence[str]) -> list[tuple[x509.ExtensionType, bool]]:
    usage = dict.fromkeys(
        (
            "content_commitment",
            "key_encipherment",
            "data_encipherment",
            "key_agreement",
            "key_cert_sign",
            "crl_sign",
            "encipher_only",
            "decipher_only",
        ),
        False,
    )
    return [
        (x509.SubjectAlternativeName([_general(name) for name in names]), False),
        # It speaks for this server and can vouch for no other.
        (x509.BasicConstraints(ca=False, path_length=None), True),
        (x509.KeyUsage(digital_signature=True, **usage), True),
        (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
    ]


def _plain(name: str) -> str:
    """As it stands in a certificate; empty for what cannot stand there."""
    bare = name.strip("[]").lower()
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        return bare if _HOST.fullmatch(bare) else ""


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
