"""Every route on a shared Strata, for everybody who may call: generated from the URL map, so that
a new route must say who may use it."""

import re

import pytest

from tests.web.calls import Calls
from webapp.web.permissions import RULES

HOST = {"Host": "localhost:5100"}
WHO = ("nobody", "other", "reader", "writer", "owner")
# What each of them is told, in this order: 401 is on the way to the door, 404 that there is no such
# thing, 403 that it is for others to do. What stands behind is let through: 409, 422 and 404 are
# then about what was asked for. Say it here for each new route; `calls.py` knows what to ask with.
TOLD = {
    "200 200 200 200 200": """
        door.ask door.ask_code static
    """,
    "303 303 303 303 303": """
        door.join
    """,
    "401 200 200 200 200": """
        account.show assistants.listed assistants.preview home.model_state home.start
        importing.show importing.state
        projects.all_of_them search.in_files search.near search.show taking_along.file
        taking_along.progress taking_along.show threads.all_threads trash.ask trash.show
    """,
    "401 303 303 303 303": """
        account.change account.leave_everywhere beginning.attach door.leave first_steps.over
        first_steps.sample home.choose_theme importing.drop importing.send projects.make
        threads.begin trash.empty
    """,
    "401 409 409 409 409": """
        importing.bring
    """,
    "401 403 403 403 200": """
        assistants.edit assistants.new models.board models.show settings.show
        share.ask_removal share.invite share.show
    """,
    "401 403 403 403 303": """
        assistants.copy assistants.delete assistants.make assistants.make_default assistants.save
        models.cancel models.dismiss models.load models.pause models.speed models.unload
        settings.save share.close share.end share.remove share.renew
    """,
    "401 403 403 403 404": """
        assistants.restore models.ask_removal models.fetch models.remove models.use models.verify
    """,
    "401 403 403 403 422": """
        importing.look_into models.take_in models.try_server
    """,
    "401 404 101 101 101": """
        route
    """,
    "401 404 200 200 200": """
        citations.card citations.show citations.sources documents.chips documents.found
        documents.found_in_one documents.listed documents.one documents.original documents.show
        documents.text editing.acts_page editing.acts_panel editing.message exporting.file
        exporting.show messages.foot
        messages.source news.since model_window.settings notes.card project_files.chips
        project_files.found project_files.found_in_one project_files.listed project_files.one
        project_files.original project_files.show project_files.text projects.show sent.as_json
        sent.show thread_assistant.show threads.earlier threads.show threads.title tree.compare
        tree.whole
    """,
    "401 404 303 303 303": """
        editing.fork model_window.refresh sent.left_out
    """,
    "401 404 403 200 200": """
        changes.as_of changes.recent documents.ask_removal editing.act_form editing.act_page
        notes.form notes.show project_files.ask_removal
    """,
    "401 404 403 303 303": """
        citations.compare documents.attach documents.choose_use documents.read_again
        documents.remove editing.delete editing.edit editing.mark editing.resume editing.undo
        marks.mute marks.pin messages.answer messages.ask messages.regenerate messages.stop
        messages.switch model_window.save notes.edit notes.remove notes.revert project_files.attach
        project_files.read_again project_files.remove projects.begin projects.change
        projects.take_out thread_assistant.choose threads.rename
    """,
    "401 404 403 403 200": """
        project_sharing.show projects.ask_removal sharing.show
    """,
    "401 404 403 403 303": """
        changes.undo project_sharing.share projects.add projects.move projects.remove sharing.share
        threads.delete
    """,
    "401 404 403 409 409": """
        documents.cancel documents.retry notes.again notes.write project_files.cancel
        project_files.retry
    """,
    "401 404 403 422 422": """
        project_files.choose_use
    """,
    "401 404 404 404 303": """
        threads.restore
    """,
    "403 303 303 303 303": """
        door.enter
    """,
}
STATUSES = {
    endpoint: dict(zip(WHO, map(int, told.split()), strict=True))
    for told, endpoints in TOLD.items()
    for endpoint in endpoints.split()
}


@pytest.fixture
def calls(house, services, store, generation):
    return Calls(house, services, store)


def test_every_route_says_who_may_use_it_and_every_rule_has_a_route(app):
    endpoints = {rule.endpoint for rule in app.url_map.iter_rules()}
    assert endpoints - set(RULES) == set(), "add each to webapp/web/permissions.py"
    assert set(RULES) - endpoints == set()


def test_every_route_is_in_the_table_once(app):
    named = sorted(" ".join(TOLD.values()).split())
    missing = sorted({rule.endpoint for rule in app.url_map.iter_rules()} ^ set(named))
    assert missing == [], "say in TOLD what each is told"
    assert len(named) == len(set(named))


def test_every_route_is_open_to_those_it_is_for_and_to_nobody_else(app, calls):
    wrong = {}
    for rule in app.url_map.iter_rules():
        method = "POST" if "POST" in rule.methods else "GET"
        things, expected = None, STATUSES[rule.endpoint]
        for who in WHO:
            things = things or calls.made(rule.endpoint)
            status = calls.status(rule.endpoint, method, things, who)
            if status != expected[who]:
                wrong[rule.endpoint, who] = status, expected[who]
            if method == "POST" and status not in (401, 403, 404):
                things = None  # it was done: the next one needs a thing that is as it was
    assert wrong == {}


def test_a_route_without_a_rule_is_closed(app, house):
    app.add_url_rule("/new", "new", lambda: "secret", methods=["GET", "POST"])
    for method in ("GET", "POST"):
        assert house.client("owner").open("/new", method=method, headers=HOST).status_code == 403


def test_changing_is_never_a_get(app):
    reading = {rule.endpoint for rule in app.url_map.iter_rules() if "GET" in rule.methods}
    found = [name for name in reading if re.search(r"\.(delete|remove|empty|share_|end)\b", name)]
    assert found == []
