"""Every route on a shared Strata, for everybody who may call: generated from the URL map, so that
a new route must say who may use it."""

import re

import pytest

from webapp.web.permissions import RULES

HOST = {"Host": "localhost:5100"}
PEOPLE = ("nobody", "other", "reader", "owner")
# What each of them is told, by what the route asks for; 200 stands for “let through”.
EXPECTED = {
    ("read", "door"): (200, 200, 200, 200),
    ("read", "lists"): (401, 200, 200, 200),
    ("write", "lists"): (401, 200, 200, 200),
    ("read", "assistants"): (401, 200, 200, 200),
    ("write", "assistants"): (401, 403, 403, 200),
    ("own", "house"): (401, 403, 403, 200),
    ("read", "thread"): (401, 404, 200, 200),
    ("write", "thread"): (401, 404, 403, 200),
    ("own", "thread"): (401, 404, 403, 200),
    ("own", "trashed"): (401, 404, 404, 200),
    ("read", "project"): (401, 404, 200, 200),
    ("write", "project"): (401, 404, 403, 200),
    ("own", "project"): (401, 404, 403, 200),
}


@pytest.fixture
def let_through(app):
    """The routes themselves say only that they were reached."""
    for endpoint in app.view_functions:
        app.view_functions[endpoint] = lambda **_: ("through", 200)
    return app


def calls(app):
    for rule in app.url_map.iter_rules():
        method = "POST" if "POST" in rule.methods else "GET"
        yield rule.endpoint, rule.rule, method


def test_every_route_says_who_may_use_it_and_every_rule_has_a_route(app):
    endpoints = {rule.endpoint for rule in app.url_map.iter_rules()}
    assert endpoints - set(RULES) == set(), "add each to webapp/web/permissions.py"
    assert set(RULES) - endpoints == set()


def test_every_route_is_open_to_those_it_is_for_and_to_nobody_else(let_through, house):
    wrong = {}
    for endpoint, path, method in calls(let_through):
        rule = RULES[endpoint]
        address = house.address(path, trashed=rule.whose == "trashed")
        for who, expected in zip(PEOPLE, EXPECTED[rule.action, rule.whose], strict=True):
            sent = {**HOST, "HX-Request": "true", "Origin": "http://localhost:5100"}
            if endpoint == "route":
                sent |= {"Upgrade": "websocket", "Connection": "Upgrade"}
            answer = house.client(who).open(address, method=method, headers=sent)
            if answer.status_code != expected:
                wrong[endpoint, who] = answer.status_code, expected
    assert wrong == {}


def test_a_route_without_a_rule_is_closed(app, house):
    app.add_url_rule("/new", "new", lambda: "secret", methods=["GET", "POST"])
    for method in ("GET", "POST"):
        assert house.client("owner").open("/new", method=method, headers=HOST).status_code == 403


def test_changing_is_never_a_get(app):
    reading = {rule.endpoint for rule in app.url_map.iter_rules() if "GET" in rule.methods}
    found = [name for name in reading if re.search(r"\.(delete|remove|empty|share_|end)\b", name)]
    assert found == []
