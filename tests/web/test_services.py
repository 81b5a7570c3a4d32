import pytest
from flask import Flask

from webapp.web.services import services as current


def test_an_app_gives_its_own_services(app, services):
    with app.app_context():
        assert current() is services


def test_an_app_that_was_not_set_up_has_none():
    with Flask("bare").app_context(), pytest.raises(KeyError):
        current()
