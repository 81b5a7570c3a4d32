"""Moments, and a certificate as Strata makes it."""

from datetime import UTC, datetime

import pytest

from webapp.tls.own import own

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def now():
    return NOW


@pytest.fixture
def made(tmp_path):
    return own(tmp_path / "tls", ["192.168.1.4", "kitchen.local"], NOW)
