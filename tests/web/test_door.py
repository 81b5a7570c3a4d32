"""Signing in, joining, signing out; what is tried against it."""

import pytest

HOST = {"Host": "localhost:5100"}


def post(client, url, headers=HOST, **fields):
    return client.post(url, data=fields, headers=headers)


def enter(house, client, **more):
    return post(client, "/login", name="reader", password="reader's password", **more)


def test_name_and_password_lead_on_to_where_one_wanted_to_go(house):
    client = house.client("nobody")
    answer = enter(house, client, to=f"/threads/{house.thread}")
    assert (answer.status_code, answer.location) == (303, f"/threads/{house.thread}")
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("strata_session_5100=")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert client.get(answer.location, headers=HOST).status_code == 200


def test_over_tls_the_cookie_is_for_this_host_alone_and_goes_on_leaving(house):
    client, secure = house.client("nobody"), {"base_url": "https://localhost:5100"}
    fields = {"name": "reader", "password": "reader's password"}
    cookie = client.post("/login", data=fields, **secure).headers["Set-Cookie"]
    assert cookie.startswith("__Host-strata_session_5100=")
    assert {"Secure", "HttpOnly", "Path=/"} <= set(cookie.split("; "))
    assert "Domain" not in cookie
    assert client.get("/", **secure).status_code == 200
    left = client.post("/logout", **secure).headers["Set-Cookie"]
    assert left.startswith("__Host-strata_session_5100=;")
    assert "Secure" in left
    assert client.get("/", **secure).status_code == 303


@pytest.mark.parametrize(
    "to", ["//evil.example", "https://evil.example/", "/\\evil", "/a\r\nSet-Cookie: x=y", ""]
)
def test_nobody_is_led_to_another_server(house, to):
    answer = enter(house, house.client("nobody"), to=to)
    assert answer.location == "/"
    assert len(answer.headers.getlist("Set-Cookie")) == 1


def test_a_refusal_keeps_the_name_and_not_the_password(house):
    answer = post(house.client("nobody"), "/login", name="reader", password="wrong password")
    assert answer.status_code == 403
    assert 'value="reader"' in answer.text
    assert "wrong password" not in answer.text


def test_guessing_is_slowed_down(house):
    client, seen = house.client("nobody"), []
    for _ in range(8):
        seen.append(post(client, "/login", name="owner", password="guess after guess"))
    assert [each.status_code for each in seen] == [403] * 3 + [429] * 5
    assert int(seen[-1].headers["Retry-After"]) >= 1


def test_a_planted_session_is_not_taken_over(house):
    client = house.client("nobody")
    client.set_cookie("strata_session_5100", "planted")
    enter(house, client)
    assert client.get_cookie("strata_session_5100").value != "planted"
    client.set_cookie("strata_session_5100", "planted")
    assert client.get("/", headers=HOST).status_code == 303


def test_a_code_lets_somebody_join_and_a_wrong_one_keeps_what_was_typed(house):
    client = house.client("nobody")
    answer = post(client, "/join", code="0000-0000", name="Dora", password="dora's password")
    assert answer.status_code == 403
    assert 'value="Dora"' in answer.text
    code = house.household.register.invite()
    assert code in client.get(f"/join?code={code}", headers=HOST).text
    assert post(client, "/join", code=code, name="Dora", password="short").status_code == 422
    answer = post(client, "/join", code=code, name="Dora", password="dora's password")
    assert answer.status_code == 303
    assert client.get("/", headers=HOST).status_code == 200


def test_who_signs_out_is_out(house):
    client = house.client("reader")
    assert post(client, "/logout").location == "/login"
    client.set_cookie("strata_session_5100", house._tokens["reader"])
    assert client.get("/", headers=HOST).status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "attacker.example:8123", "Origin": "http://attacker.example:8123"},
        {**HOST, "Origin": "null"},
        {**HOST, "Origin": "http://localhost:5101"},
        {**HOST, "Sec-Fetch-Site": "cross-site"},
        {**HOST, "Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_of_another_page_does_nothing_with_a_session_it_borrows(house, headers):
    client = house.client("owner")
    url = f"/threads/{house.thread}"
    assert post(client, f"{url}/trash", headers=headers).status_code == 403
    assert post(client, "/login", headers=headers, name="x", password="y").status_code == 403
    socket = {**headers, "Upgrade": "websocket", "Connection": "Upgrade"}
    socket.setdefault("Origin", "http://attacker.example")
    assert client.get(f"{url}/messages/x/live", headers=socket).status_code == 403
    assert house.library.thread(house.thread).title == "Private thread"


def test_paths_out_of_the_data_folder_are_nothing(house):
    client = house.client("owner")
    for path in ("..%2f..%2fpeople%2fpeople.json", "..", "%2e%2e", "people", "a%00b"):
        for url in (f"/threads/{path}", f"/projects/{path}", f"/static/{path}"):
            answer = client.get(url, headers=HOST)
            assert answer.status_code in (303, 308, 404)
            assert "argon2" not in answer.text


def test_alone_there_is_nothing_to_leave(client):
    assert client.post("/logout", headers=HOST).location == "/"
