"""A certificate that is renewed while pages are served with it."""

import logging
import socket
import ssl
import threading
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask

from webapp.errors import BadSetting
from webapp.tls.certificate import given
from webapp.tls.own import VALID, own
from webapp.tls.served import ServedCertificate
from webapp.web.server import PageServer


def fingerprint_at(port, trusted):
    context = ssl.create_default_context(cafile=str(trusted))
    with (
        socket.create_connection(("127.0.0.1", port), timeout=10) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as secured,
    ):
        return secured.getpeercert(binary_form=True)


@pytest.fixture
def today(now):
    """A clock that can be set."""
    return [now]


@pytest.fixture
def served(tmp_path, today):
    return ServedCertificate(lambda: own(tmp_path / "tls", [], today[0]))


def test_one_that_soon_ends_is_made_anew(served, today):
    first = served.fingerprint
    assert served.look_again() is None
    today[0] += VALID - timedelta(days=10)
    assert served.look_again() is served.context
    assert served.fingerprint != first
    assert served.own


def test_one_that_cannot_serve_is_told_in_the_log_and_the_last_goes_on(tmp_path, made, now, caplog):
    file, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    file.write_bytes(made.file.read_bytes())
    key.write_bytes(made.key.read_bytes())
    served = ServedCertificate(lambda: given(file, key, now))
    before = served.context
    file.write_bytes(file.read_bytes()[:200])  # in the midst of being written
    with caplog.at_level(logging.WARNING):
        assert served.look_again() is None
    assert "was not renewed" in caplog.text
    assert served.context is before
    with pytest.raises(BadSetting):
        ServedCertificate(lambda: given(file, key, now))


def test_who_connects_after_a_renewal_is_served_with_the_new_one(tmp_path):
    moment = [datetime.now(UTC) - VALID + timedelta(days=29)]
    served = ServedCertificate(lambda: own(tmp_path / "tls", [], moment[0]))
    pages = PageServer(Flask("empty"), "127.0.0.1", 0, served.context)
    serving = threading.Thread(target=pages._server.serve_forever, daemon=True)
    serving.start()
    trusted = tmp_path / "tls" / "certificate.pem"
    try:
        old = fingerprint_at(pages.port, trusted)
        moment[0] = datetime.now(UTC)
        pages.renew(served.look_again())
        assert fingerprint_at(pages.port, trusted) != old
    finally:
        pages._server.shutdown()
        pages._server.server_close()
        serving.join(timeout=5)
