"""The owner's page: people, codes, sessions, and who did what."""

import re
from dataclasses import replace
from datetime import UTC, datetime

from webapp.tls.own import own
from webapp.tls.served import ServedCertificate
from webapp.web import share
from webapp.web.services import EXTENSION

HOST = {"Host": "localhost:5100"}


def post(house, url, **fields):
    return house.client("owner").post(url, data=fields, headers=HOST)


def page(house):
    return house.client("owner").get("/share", headers=HOST).text


def test_the_owner_sees_people_sessions_and_acts(house):
    house.client("owner").post(f"/threads/{house.thread}/title", data={"title": "X"}, headers=HOST)
    text = page(house)
    for word in ("owner (owner)", "reader", "other", "threads.rename", "127.0.0.1"):
        assert word in text


def test_a_one_time_code_is_shown_once_and_lets_somebody_in(house):
    text = post(house, "/share/codes").text
    code = re.search(r"One-time code: <strong>([\w-]+)", text)[1]
    assert code not in page(house)
    fields = {"code": code, "name": "Dora", "password": "dora's password"}
    assert house.client("nobody").post("/join", data=fields, headers=HOST).status_code == 303
    assert "Dora" in page(house)


def test_a_session_ends_and_a_person_is_removed(house):
    session = house.household.sessions.of(house.ids["reader"])[0]
    assert post(house, f"/share/sessions/{session.id}/end").status_code == 303
    assert house.client("reader").get("/", headers=HOST).status_code == 303
    url = f"/share/people/{house.ids['other']}/removal"
    assert "become yours" in house.client("owner").get(url, headers=HOST).text
    assert post(house, url).status_code == 303
    assert house.client("other").get("/", headers=HOST).status_code == 303
    assert post(house, f"/share/people/{house.ids['owner']}/removal").status_code == 409


def test_codes_are_renewed_and_voided(house):
    old = house.household.register.roll().access_code
    post(house, "/share/access-code")
    assert house.household.register.roll().access_code not in ("", old)
    post(house, "/share/closing")
    assert "one-time code only" in page(house)


def test_it_tells_of_encryption_and_gives_the_fingerprint(house, app, tmp_path):
    assert "Without TLS" in page(house)
    certificate = ServedCertificate(lambda: own(tmp_path / "tls", [], datetime.now(UTC)))
    app.extensions[EXTENSION] = replace(app.extensions[EXTENSION], certificate=certificate)
    assert certificate.fingerprint in page(house)


def test_its_picture_leads_others_to_an_address_that_they_reach(house, monkeypatch):
    seen = []
    monkeypatch.setattr(share, "own_urls", lambda scheme, port: (f"{scheme}://10.0.0.7:{port}",))
    monkeypatch.setattr(share, "as_svg", lambda text, meaning: seen.append(text) or "picture")
    assert "http://10.0.0.7:5100/join</code>" in page(house)
    house.client("owner").get("/share", headers={"Host": "127.0.0.1:5100"})
    code = house.household.register.roll().access_code
    assert seen[0] == f"http://10.0.0.7:5100/join#code={code[:4]}-{code[4:]}"
    post(house, "/share/closing")
    assert "picture" not in page(house)


def test_alone_it_says_how_to_begin(client):
    assert "./strata --lan" in client.get("/share", headers=HOST).text
    assert client.post("/share/codes", headers=HOST).status_code == 404
