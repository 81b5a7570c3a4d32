"""Doors: who may talk to this server, and what its pages may do."""

import pytest
from flask import Flask

from webapp.errors import Forbidden
from webapp.web import guard


@pytest.fixture
def client():
    app = Flask(__name__)
    guard.install(app, hosts=["kitchen.local"])
    app.register_error_handler(Forbidden, lambda error: (str(error), 403))
    app.add_url_rule("/", "look", lambda: "ok", methods=["GET", "POST"])
    return app.test_client()


def call(client, method="GET", host="localhost:5100", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.open("/", method=method, headers={"Host": host, **named}).status_code


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:5100", "127.0.0.1:5100", "[::1]:5100", "[::1]", "kitchen.local:80"],
)
def test_own_names_are_answered(client, host):
    assert call(client, host=host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "attacker.example:8123",
        "localhost.attacker.example",
        "127.0.0.1.attacker.example:5100",
        "localhost:80@attacker.example",
        "[::1].attacker.example",
        "[::2]:5100",
        "0.0.0.0:5100",
        "localhost:65536",
        "localhost:٣",
        "",
    ],
)
def test_a_foreign_host_is_refused_for_reading_writing_and_sockets(client, host):
    socket = {"Upgrade": "websocket", "Origin": f"http://{host}"}
    assert call(client, host=host) == 403
    assert call(client, "POST", host=host, Origin=f"http://{host}") == 403
    assert call(client, host=host, **socket) == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_a_write_from_another_page_is_refused(client, site):
    assert call(client, "POST", Sec_Fetch_Site=site) == 403


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://attacker.example",
        "http://localhost:5101",
        "http://127.0.0.1:5100",
        "http://localhost:5100.attacker.example",
        "file://localhost:5100",
    ],
)
def test_a_write_or_socket_with_a_foreign_origin_is_refused(client, origin):
    assert call(client, "POST", Origin=origin) == 403
    assert call(client, "POST", Origin=origin, Sec_Fetch_Site="none") == 403
    assert call(client, Upgrade="h2c, WebSocket", Origin=origin) == 403
    assert call(client, Upgrade="websocket", Origin=origin) == 403


def test_own_pages_may_write_and_listen(client):
    own = "http://localhost:5100"
    assert call(client, "POST", Sec_Fetch_Site="same-origin", Origin=own) == 200
    assert call(client, "POST", Origin=own) == 200
    assert call(client, "POST", Sec_Fetch_Site="same-origin", Origin="null") == 200
    assert call(client, "POST", Sec_Fetch_Site="same-origin", Origin="http://a.example") == 403
    assert call(client, Upgrade="websocket", Origin=own) == 200


def test_over_tls_a_page_of_the_same_address_without_it_is_another(client):
    def write(origin):
        return client.post("/", base_url="https://localhost:5100", headers={"Origin": origin})

    assert write("http://localhost:5100").status_code == 403
    assert write("https://localhost:5100").status_code == 200


def test_a_socket_without_an_origin_is_refused_and_a_program_without_a_browser_is_not(client):
    assert call(client, Upgrade="WebSocket") == 403
    assert call(client, "POST") == 200


def test_every_answer_forbids_inline_script_eval_and_foreign_addresses(client):
    headers = client.get("/", headers={"Host": "localhost"}).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    refused = client.get("/", headers={"Host": "attacker.example"}).headers
    assert refused["Content-Security-Policy"] == policy
