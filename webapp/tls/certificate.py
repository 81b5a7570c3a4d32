"""A certificate and its key, checked before anybody is served with them."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

from webapp.errors import BadSetting


@dataclass(frozen=True)
class Certificate:
    """Two PEM files. `fingerprint` is the SHA-256 of the certificate as browsers write it;
    `own` when Strata made it, so that browsers warn of it."""

    file: Path
    key: Path
    fingerprint: str
    own: bool

    def context(self) -> ssl.SSLContext:
        """Raises BadSetting when the system's TLS takes less than was looked at here."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self.file, self.key)
        except (OSError, ssl.SSLError) as error:
            raise BadSetting(
                f"The certificate {self.file} cannot be used ({error}).", do="Use another one."
            ) from error
        return context


def given(file: Path, key: Path, now: datetime) -> Certificate:
    """The one that a person named. Raises BadSetting for what is unreadable, does not belong
    together, or is not valid at the moment."""
    leaf = _certificate(file)
    if _public(leaf) != _public(_key(key)):
        raise BadSetting(
            f"The key {key} does not belong to the certificate {file}.",
            do="Name the two that were made together.",
        )
    if now >= leaf.not_valid_after_utc:
        raise BadSetting(
            f"The certificate {file} has expired on {leaf.not_valid_after_utc:%Y-%m-%d}.",
            do="Renew it, or start with --tls self.",
        )
    if now < leaf.not_valid_before_utc:
        raise BadSetting(
            f"The certificate {file} is valid only from {leaf.not_valid_before_utc:%Y-%m-%d} on.",
            do="Check that the clock of this machine is right.",
        )
    return Certificate(file, key, fingerprint_of(leaf), own=False)


def fingerprint_of(leaf: x509.Certificate) -> str:
    return leaf.fingerprint(hashes.SHA256()).hex(":").upper()


# --- inside ---


def _certificate(path: Path) -> x509.Certificate:
    """The first in the file; the chain follows it."""
    try:
        return x509.load_pem_x509_certificates(_content(path, "certificate"))[0]
    except ValueError as error:
        raise BadSetting(
            f"{path} is not a certificate in PEM form.",
            do="Name a file that begins with “-----BEGIN CERTIFICATE-----”.",
        ) from error


def _key(path: Path) -> PrivateKeyTypes:
    try:
        return serialization.load_pem_private_key(_content(path, "key"), None)
    except TypeError as error:
        raise BadSetting(
            f"The key {path} is locked with a password.", do="Save it to a file without one."
        ) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise BadSetting(
            f"{path} is not a private key in PEM form.",
            do="Name the key that was made with the certificate.",
        ) from error


def _content(path: Path, what: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadSetting(
            f"The {what} {path} cannot be read ({error.strerror}).",
            do="Check that the path is right and that Strata may read the file.",
        ) from error


def _public(half: x509.Certificate | PrivateKeyTypes) -> bytes:
    return half.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
