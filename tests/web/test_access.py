"""Who calls, and what they see: private stays private, also in lists; and attacks at the door."""

import time

import pytest

from webapp.generation import line
from webapp.people.permission import ALONE
from webapp.web.access import check, current_member, still_allowed

HOST = {"Host": "localhost:5100"}


def get(house, who, url, **headers):
    return house.client(who).get(url, headers={**HOST, **headers})


def test_who_is_not_signed_in_is_sent_to_the_door_and_sees_no_title(house):
    answer = get(house, "nobody", f"/threads/{house.thread}?at=x")
    assert answer.status_code == 303
    assert answer.location.startswith("/login?to=/threads/")
    for url in ("/login", "/join", "/nothing/here"):
        assert "Private" not in get(house, "nobody", url).text


def test_who_may_only_read_is_offered_no_composer(house):
    url = f"/threads/{house.thread}"
    assert "<bdi>owner</bdi> shared this with you to read." in get(house, "reader", url).text
    assert "Mute or unmute" not in get(house, "reader", url).text
    assert 'id="composer"' in get(house, "owner", url).text
    assert 'id="composer"' not in get(house, "reader", url).text


def test_htmx_and_programs_get_a_401(house):
    answer = get(house, "nobody", "/threads", **{"HX-Request": "true"})
    assert (answer.status_code, answer.headers["HX-Redirect"]) == (401, "/login")
    assert house.client("nobody").post("/threads", headers=HOST).status_code == 401


@pytest.mark.parametrize("url", ["/", "/threads", "/projects", "/trash", "/trash/emptying"])
def test_lists_hold_what_may_be_read_and_nothing_else(house, url):
    seen = {who: get(house, who, url).text for who in ("owner", "reader", "other")}
    assert "Private" in seen["owner"]
    assert "Private" in seen["reader"]
    assert "Private" not in seen["other"]
    trashed = "Trashed thread" in seen["owner"]
    assert trashed is url.startswith("/trash")
    assert "Trashed" not in seen["reader"] + seen["other"]


def test_a_project_page_lists_only_threads_that_may_be_read(house, services):
    page = get(house, "owner", f"/projects/{house.project}").text
    services.library.create("Secret of another", owner=house.ids["other"])
    assert "Private thread" in page
    assert "Secret" not in get(house, "owner", f"/projects/{house.project}").text


def test_what_is_made_belongs_to_who_made_it(house, services, generation):
    answer = house.client("other").post("/threads", data={"text": "Mine"}, headers=HOST)
    made = answer.location.split("/")[2].split("?")[0]
    assert services.library.thread(made).metadata["owner"] == house.ids["other"]
    assert get(house, "owner", f"/threads/{made}").status_code == 404


def test_what_a_removed_person_had_is_the_owners(house, services):
    theirs = services.library.create("Left behind", owner=house.ids["other"]).id
    assert get(house, "owner", f"/threads/{theirs}").status_code == 404
    house.household.remove(house.ids["other"])
    assert get(house, "owner", f"/threads/{theirs}").status_code == 200
    assert get(house, "other", "/").status_code == 303


def test_emptying_the_trash_empties_only_ones_own(house, services):
    data = {"until": str(10**14)}
    assert house.client("other").post("/trash/emptying", data=data, headers=HOST).status_code == 303
    assert [each.id for each in services.library.trash()] == [house.trashed]


def test_a_thread_of_another_cannot_be_pulled_into_ones_own_project(house, services):
    mine = services.projects.make("Mine", owner=house.ids["reader"]).id
    for who, status in (("reader", 403), ("other", 404)):
        data = {"thread": house.thread}
        url = f"/projects/{mine}/members"
        assert house.client(who).post(url, data=data, headers=HOST).status_code == status


def test_the_owner_reads_who_did_what_without_contents(house):
    house.client("owner").post(
        f"/threads/{house.thread}/title", data={"title": "Secret words"}, headers=HOST
    )
    line = house.household.audit.latest(1)[0]
    assert (line.who, line.what, line.thing) == (house.ids["owner"], "threads.rename", house.thread)
    assert "Secret" not in repr(house.household.audit.latest(100))


def test_people_that_cannot_be_read_let_nobody_in(house, settings):
    (settings.data / "people" / "people.json").write_text("{")
    answer = get(house, "owner", "/")
    assert answer.status_code == 403
    assert "Private" not in answer.text


def test_a_socket_learns_within_a_second_or_so_that_its_session_ended(app, house, monkeypatch):
    path = f"/threads/{house.thread}"
    token = house._tokens["reader"]
    headers = {**HOST, "Cookie": f"strata_session_5100={token}"}
    with app.test_request_context(path, headers=headers):
        assert check() is None
        allowed = still_allowed()
        house.household.remove(house.ids["reader"])
        now = time.monotonic()
        monkeypatch.setattr(time, "monotonic", lambda: now + 2)
        assert not allowed()


def test_a_strata_that_is_not_shared_has_one_person_and_costs_nothing(app):
    with app.test_request_context("/threads/nothing"):
        assert current_member() is ALONE
        assert still_allowed()()
        start = time.perf_counter()
        for _ in range(1000):
            check()
        assert time.perf_counter() - start < 0.5


def test_answers_know_who_asked_for_them(house):
    url = f"/threads/{house.thread}/messages"
    client = house.client("writer")
    client.post(url, data={"text": "/slow Why?"}, headers=HOST)
    runs = client.application.extensions["strata"].generation._line.runs()
    assert [run.person for run in runs] == [house.ids["writer"]]


def test_a_question_too_many_makes_no_thread_and_says_when_to_come_again(house, monkeypatch):
    monkeypatch.setattr(line, "MOST_OF_ONE", 0)
    before = len(house.library.threads())
    answer = house.client("writer").post("/threads", data={"text": "Why?"}, headers=HOST)
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "10"
    assert "your text is kept" in answer.text
    assert len(house.library.threads()) == before
