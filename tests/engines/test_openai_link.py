import http.server
import socket
import threading

import pytest

from tests.engines.openai_servers import PlayServer, head, whole
from webapp.engines.openai_address import address_of
from webapp.engines.openai_link import Aborted, Link, Patience


@pytest.fixture
def server():
    server = PlayServer()
    yield server
    server.end()


def link_to(url, key="", **patience):
    return Link(address_of(url), key, Patience(**{"connect": 2, "first": 10, **patience}))


def test_a_request_has_the_key_and_the_body(server):
    server.play(whole({"ok": 1}), path="/v1/x")
    link = link_to(server.url, "sk-1")
    response = link.open("POST", "/x", b'{"a": 1}')
    assert (response.status, response.read()) == (200, b'{"ok": 1}')
    link.close()
    path, headers, body = server.requests[0]
    assert (path, body, headers["Authorization"]) == ("/v1/x", {"a": 1}, "Bearer sk-1")
    assert headers["Host"] == server.url.removeprefix("http://")


def test_one_link_can_ask_again(server):
    link = link_to(server.url)
    for _ in range(2):
        assert link.open("GET", "/models", None).status == 200
    assert link.connected
    link.close()
    link.close()


def test_an_abort_from_another_thread_ends_a_read_at_once(server):
    server.play(head(), server.ending)
    link = link_to(server.url)
    response = link.open("POST", "/chat/completions", b"{}")
    threading.Timer(0.01, link.abort).start()
    assert response.read1(100) == b""
    assert link.aborted
    link.close()


def test_after_an_abort_nothing_is_opened_and_a_pause_is_over(server):
    link = link_to(server.url)
    link.abort()
    with pytest.raises(Aborted):
        link.open("GET", "/models", None)
    with pytest.raises(Aborted):
        link.pause(60)
    link.close()
    assert server.requests == []


def test_time_runs_out_for_the_head_and_between_pieces(server):
    server.play(server.ending)
    link = link_to(server.url, first=0.02)
    with pytest.raises(TimeoutError):
        link.open("POST", "/chat/completions", b"{}")
    link.close()
    server.play(head(), server.ending)
    link = link_to(server.url)
    response = link.open("POST", "/chat/completions", b"{}")
    link.wait_at_most(0.02)
    with pytest.raises(TimeoutError):
        response.read1(100)
    link.close()


def test_a_refusal_that_comes_before_the_request_was_read_is_heard():
    """As of a server that takes no request as large as this."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        sent = b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

        def refuse():
            taken, _ = listening.accept()
            with taken:
                taken.sendall(sent)
                taken.shutdown(socket.SHUT_WR)
                while taken.recv(65_536):
                    pass

        refusing = threading.Thread(target=refuse)
        refusing.start()
        link = link_to(f"http://127.0.0.1:{listening.getsockname()[1]}")
        assert link.open("POST", "/chat/completions", b"x" * 1_000_000).status == 413
        link.close()
        refusing.join(10)


class Proxy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append((self.command, self.path, self.headers["Proxy-Authorization"]))
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_CONNECT = do_GET

    def log_message(self, format, *args):
        """Nothing is printed."""


@pytest.fixture
def proxy(monkeypatch):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    server.asked = []
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    address = f"127.0.0.1:{server.server_port}"
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", f"http://me:p%40ss@{address}")
    monkeypatch.setenv("https_proxy", address)
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_proxy_is_used_for_other_machines(proxy):
    link = link_to("http://box.example:8080")
    assert link.open("GET", "/models", None).status == 403
    link.close()
    login = "Basic bWU6cEBzcw=="
    assert proxy.asked == [("GET", "http://box.example:8080/v1/models", login)]
    secure = link_to("https://box.example")
    with pytest.raises(OSError, match="403"):
        secure.open("GET", "/models", None)
    secure.close()
    assert proxy.asked[1:] == [("CONNECT", "box.example:443", None)]


def test_no_proxy_leads_to_this_machine_or_to_one_that_is_excepted(proxy, server, monkeypatch):
    link = link_to(server.url)
    assert link.open("GET", "/models", None).status == 200
    link.close()
    no_name = f"{'x' * 70}.example"  # no name server needs to be asked for it
    monkeypatch.setenv("no_proxy", no_name)
    excepted = link_to(f"http://{no_name}")
    with pytest.raises(UnicodeError):
        excepted.open("GET", "/models", None)
    excepted.close()
    assert proxy.asked == []
