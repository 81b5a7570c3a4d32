"""What is tried against a shared Strata, at its real server: other names, other pages, other
people's threads, paths, lengths, sizes, sessions and passwords."""

import re
import socket
import statistics
import sys
import threading
import time
from html.parser import HTMLParser
from io import BytesIO

import pytest

from tests.web.hostile import TEXTS
from tests.web.real_server import RealServer, answer_in, read_all
from webapp.documents.parsing.limits import MB
from webapp.people.quota import Quota
from webapp.people.secret_words import Passwords
from webapp.web import incoming, server
from webapp.web.callers import Callers
from webapp.web.steady_socket import StallWatch

SECRET = "Private thread"


@pytest.fixture
def real(app, house):
    real = RealServer(app)
    yield real
    real.close()


@pytest.fixture
def token(house):
    return house._tokens["owner"]


@pytest.fixture
def at(house):
    return f"/threads/{house.thread}"


class TestOtherNamesAndPages:
    @pytest.mark.parametrize(
        "host", ["attacker.example", "localhost.attacker.example", "127.0.0.1@evil", "0", "", None]
    )
    def test_a_name_bent_to_this_machine_reads_writes_and_hears_nothing(
        self, real, at, token, house, host
    ):
        named = f"{host}:{real.port}" if host else host
        answers = [
            real.ask(at, token=token, Host=named),
            real.ask(at + "/trash", "POST", token=token, Host=named, Origin=f"http://{named}"),
            real.socket_at(at + "/messages/x/live", token=token, Host=named),
        ]
        assert [each.status for each in answers] == [403] * 3
        assert SECRET not in "".join(each.text for each in answers)
        assert house.library.thread(house.thread)

    def test_two_names_at_once_and_the_name_of_another_in_the_first_line_are_refused(self, real):
        two = f"GET / HTTP/1.1\r\nHost: {real.host}\r\nHost: evil.example\r\n\r\n"
        assert b" 400 " in real.raw(two.encode())[:20]
        line = f"GET http://evil.example/ HTTP/1.1\r\nHost: {real.host}\r\n\r\n"
        assert b" 403 " in real.raw(line.encode())[:20]

    @pytest.mark.parametrize(
        "headers",
        [
            {"Origin": "null"},
            {"Origin": "http://127.0.0.1:1"},
            {"Origin": "http://localhost:{port}"},
            {"Origin": "http://attacker.example"},
            {"Origin": "http://127.0.0.1:{port}.attacker.example"},
            {"Origin": "http://["},
            {"Origin": "http://[::1"},
            {"Sec_Fetch_Site": "cross-site"},
            {"Sec_Fetch_Site": "same-site"},
            {"Sec_Fetch_Site": "cross-site", "Origin": "http://127.0.0.1:{port}"},
            {"Sec_Fetch_Site": "", "Origin": "null"},
        ],
    )
    def test_a_form_of_another_page_does_nothing(self, real, at, token, house, headers):
        named = {name: value.format(port=real.port) for name, value in headers.items()}
        for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data"):
            sent = {"token": token, "body": b"title=Owned", "Content_Type": kind, **named}
            assert real.ask(at + "/title", "POST", **sent).status == 403
            assert real.ask("/login", "POST", **{**sent, "token": ""}).status == 403
        assert house.library.thread(house.thread).title == SECRET

    @pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "HEAD", "FOO"])
    def test_other_methods_change_nothing(self, real, at, token, house, method):
        answer = real.ask(at + "/trash", method, token=token)
        assert answer.status in (400, 404, 405)
        assert house.library.thread(house.thread)


class TestSockets:
    @pytest.mark.parametrize(
        "origin", ["http://attacker.example", "null", "http://localhost:{port}", "http://127.0.0.1"]
    )
    def test_a_socket_from_another_page_is_refused(self, real, at, token, origin):
        named = origin.format(port=real.port)
        answer = real.socket_at(at + "/messages/x/live", token=token, Origin=named)
        assert answer.status == 403

    def test_a_socket_needs_an_origin_a_session_and_the_right_to_read(self, real, at, token, house):
        address = at + "/messages/x/live"
        assert real.socket_at(address, token=token, Origin=None).status == 403
        assert real.socket_at(address).status == 401
        assert real.socket_at(address, token="made up").status == 401
        assert real.socket_at(address, token=house._tokens["other"]).status == 404
        assert real.socket_at(address, token=house._tokens["reader"]).status == 101
        assert real.socket_at(address, token=token).status == 101

    @pytest.mark.parametrize(
        "headers",
        [
            {"Sec_WebSocket_Version": "8"},
            {"Sec_WebSocket_Version": None},
            {"Sec_WebSocket_Key": None},
        ],
    )
    def test_what_begins_no_socket_is_told_so(self, real, at, token, headers):
        answer = real.socket_at(at + "/messages/x/live", token=token, **headers)
        assert (answer.status, answer.header("Sec-WebSocket-Version")) == (400, "13")
        assert "This does not open a websocket" in answer.text

    def test_a_frame_that_is_too_large_ends_the_socket(self, real, at, token, generation):
        answer = generation.ask(at.split("/")[2], "/hold")
        with real.connect() as line:
            line.sendall(
                f"GET {at}/messages/{answer.id}/live HTTP/1.1\r\nHost: {real.host}\r\n"
                f"Origin: {real.origin}\r\nCookie: {real.cookie}={token}\r\n"
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
            )
            assert b" 101 " in line.recv(4096)
            size = (2**20).to_bytes(8, "big")
            with pytest.raises(ConnectionError):  # it is cut off long before the end
                for _ in range(200):
                    line.sendall(b"\x81\xff" + size + b"\0\0\0\0" + bytes(2**16))
        generation.stop(answer.id)


ROOTS = ("/static", "/threads", "/projects", "/assistants")
WAYS_OUT = [
    "/../../webapp/app.py",
    "/..%2f..%2fwebapp/app.py",
    "/%2e%2e/%2e%2e/webapp/app.py",
    "/%252e%252e/%252e%252e/webapp/app.py",
    "/..\\..\\webapp\\app.py",
    "/..%5c..%5cwebapp%5capp.py",
    "/....//....//webapp/app.py",
    "/..%c0%af..%c0%afwebapp/app.py",
    "//etc/passwd",
    "/%2fetc%2fpasswd",
    "/favicon.svg%00.html",
    "/../people/people.json",
    "/..%2fpeople%2fpeople.json",
    "/people/people.json",
    "/C:%5cWindows%5cwin.ini",
    "/" + "../" * 40 + "etc/passwd",
    "/.",
    "/%2e",
    "/~root",
    "/%ff%fe",
]


class TestPaths:
    @pytest.mark.parametrize("way", WAYS_OUT)
    def test_no_path_leads_out_of_what_is_served(self, real, token, way):
        for root in ROOTS:
            for end in ("", "/files", "/files/x/original", "/messages/x"):
                answer = real.ask(root + way + end, token=token)
                assert answer.status in (303, 308, 400, 403, 404), root + way + end
                for word in ("create_app", "argon2", "root:"):
                    assert word not in answer.text

    def test_an_id_in_a_form_is_no_path(self, real, at, token):
        for field in ("../../people", "..\\people", "a/b", "\0", "x" * 5000):
            forms = {
                "/active": {"message": field},
                "/project": {"project": field},
                "/assistant": {"assistant": field},
                "/undo": {"message": field},
                "/messages": {"text": "hello", "after": field},
            }
            for end, form in forms.items():
                answer = real.ask(at + end, "POST", token=token, form=form)
                assert answer.status in (303, 404, 422), (end, field)

    @pytest.mark.parametrize(
        "name",
        [
            "../../../people/people.json",
            "..\\..\\boot.ini",
            "/etc/passwd",
            'a"; filename="b.exe',
            "a\r\nSet-Cookie: owned=1\r\n\r\n<script>.txt",
            "a\0b.txt",
            "ä 名 \u202etxt.exe",
            "." * 300,
            "con",
            "x" * 3000 + ".txt",
        ],
    )
    def test_a_file_keeps_its_name_as_data_and_comes_back_as_one(
        self, real, at, token, house, services, name
    ):
        scope = services.documents.thread(house.thread)
        file = services.documents.add(scope, name, BytesIO(b"Words"), 5).state
        services.documents.wait_over(scope, 30)
        answer = real.ask(f"{at}/files/{file.id}/original", token=token)
        assert (answer.status, answer.body) == (200, b"Words")
        assert answer.header("Content-Disposition").startswith("attachment; filename")
        assert answer.header("Content-Type") == "application/octet-stream"
        assert "owned" not in answer.header("Set-Cookie")
        folder = services.settings.data / "threads" / house.thread / "files" / file.id
        assert (folder / "original").read_bytes() == b"Words"


class TestHeaders:
    @pytest.mark.parametrize(
        "evil", ["x%0d%0aSet-Cookie:%20owned=1", "x\u560a\u560dSet-Cookie:owned"]
    )
    def test_nothing_in_an_address_becomes_a_header(self, real, token, at, evil):
        evil = evil.encode("utf-8").decode("latin-1")
        for path in (f"/{evil}", f"/threads/{evil}", f"{at}?at={evil}", f"/login?to={evil}"):
            for answer in (real.ask(path, token=token), real.ask(path)):
                assert "owned" not in answer.header("Set-Cookie")
                assert answer.status in (200, 303, 404)

    def test_a_title_becomes_no_header(self, real, token, at, house):
        title = "a\r\nSet-Cookie: owned=1\r\n\r\n<script>alert(1)</script>"
        answer = real.ask(at + "/title", "POST", token=token, form={"title": title})
        assert (answer.status, answer.header("Set-Cookie")) == (303, "")
        assert "\n" not in house.library.thread(house.thread).title
        assert "<script>alert" not in real.ask(at, token=token).text


class TestLengths:
    @pytest.mark.parametrize(
        ("lines", "status"),
        [
            ("Content-Length: 5\r\nTransfer-Encoding: chunked", 400),
            ("Transfer-Encoding: chunked", 411),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", 411),
            ("Transfer-Encoding : chunked\r\nContent-Length: 5", 400),
            ("Content-Length: 5\r\nContent-Length: 50", 400),
            ("Content-Length: -5", 400),
            ("Content-Length: 5, 5", 400),
            ("Content-Length: five", 400),
            ("Content-Length: 99999999999999999999", 413),
            (f"Content-Length: {'9' * 5000}", 413),
        ],
    )
    def test_a_request_hides_no_other(self, real, at, token, house, lines, status):
        hidden = f"POST {at}/trash HTTP/1.1\r\nHost: {real.host}\r\nCookie: {real.cookie}={token}"
        for end in ("0\r\n\r\n", "title"):
            sent = (
                f"POST {at}/title HTTP/1.1\r\nHost: {real.host}\r\n{lines}\r\n"
                f"Cookie: {real.cookie}={token}\r\n"
                f"Content-Type: application/x-www-form-urlencoded\r\n\r\n{end}{hidden}\r\n\r\n"
            )
            heard = real.raw(sent.encode())
            assert heard.startswith(b"HTTP/1.")
            assert heard.count(b"HTTP/1.") == 1
            assert int(heard.split()[1]) == status
        assert house.library.thread(house.thread).title == SECRET

    def test_a_second_request_on_one_line_is_not_heard(self, real):
        one = f"GET /login HTTP/1.1\r\nHost: {real.host}\r\n\r\n".encode()
        assert real.raw(one * 3).count(b"HTTP/1.") == 1

    def test_a_body_that_breaks_off_is_nothing(self, real, at, token, house):
        with real.connect() as line:
            line.sendall(
                f"POST {at}/title HTTP/1.1\r\nHost: {real.host}\r\n"
                f"Cookie: {real.cookie}={token}\r\n"
                "Content-Type: application/x-www-form-urlencoded\r\n"
                "Content-Length: 500\r\n\r\ntitle=Half".encode()
            )
            line.shutdown(socket.SHUT_WR)
            assert b" 400 " in read_all(line)[:20]
        assert house.library.thread(house.thread).title == SECRET


class TestSizes:
    @pytest.mark.parametrize("path", ["/threads/{id}/messages", "/threads", "/login", "/theme"])
    def test_a_large_body_is_refused(self, real, token, house, path):
        """Also for those whose message may be longer than other forms."""
        form = {"text": "x" * (2 * 2**20), "name": "x"}
        answer = real.ask(path.format(id=house.thread), "POST", token=token, form=form)
        assert answer.status in (413, 422)

    @pytest.mark.parametrize(
        "head",
        [
            "GET /{long} HTTP/1.1\r\nHost: {host}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: {host}\r\nX-Long: {long}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: {host}\r\nCookie: {long}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: {host}\r\n{many}\r\n",
        ],
    )
    def test_a_large_head_is_refused(self, real, head):
        many = "".join(f"X-{number}: x\r\n" for number in range(500))
        sent = head.format(host=real.host, long="x" * 200_000, many=many)
        status = int(real.raw(sent.encode()).split()[1])
        assert status in (414, 431)

    @pytest.mark.parametrize("htmx", [None, "true"])
    @pytest.mark.parametrize(
        ("size", "limit", "most", "status"),
        [
            (500 * MB, "uploads", 30, 413),
            (5 * MB, "uploads", 1, 429),
            (5 * MB, "upload_bytes", 2 * MB, 429),
        ],
    )
    def test_too_much_is_refused_before_any_of_it_is_sent(
        self, real, at, token, house, size, limit, most, status, htmx
    ):
        quota = Quota(most, 60_000, limit)
        quota.take(house.ids["owner"], 1, house.household._clock_ms())
        setattr(house.household, limit, quota)
        answer = real.ask(
            f"{at}/files",
            "POST",
            token=token,
            Content_Length=size,
            Content_Type="multipart/form-data; boundary=edge",
            HX_Request=htmx,
        )
        assert answer.status == status
        assert ("Try again in" if status == 429 else "Attach fewer files") in answer.text
        assert bool(answer.header("Retry-After")) is (status == 429)

    def test_many_fields_and_deep_names_are_refused(self, real, token):
        parts = "".join(
            f'--edge\r\nContent-Disposition: form-data; name="f{number}"\r\n\r\nx\r\n'
            for number in range(500)
        )
        answer = real.ask(
            "/theme",
            "POST",
            token=token,
            body=f"{parts}--edge--\r\n".encode(),
            Content_Type="multipart/form-data; boundary=edge",
        )
        assert answer.status == 413

    def test_who_sends_a_byte_now_and_then_is_let_go(self, real, monkeypatch, at, token):
        """The head and the body each have a time within which they must have come."""
        monkeypatch.setattr(server, "_heads", StallWatch(0.4))
        monkeypatch.setattr(incoming, "HEAD_SECONDS", 0.4)
        head = f"GET / HTTP/1.1\r\nHost: {real.host}\r\nX: "
        body = (
            f"POST {at}/title HTTP/1.1\r\nHost: {real.host}\r\nCookie: {real.cookie}={token}\r\n"
            "Content-Length: 5000\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
        )
        for begun in (head, body):
            with real.connect() as line:
                line.sendall(begun.encode())
                began = time.monotonic()
                assert drip(line) > 1
                assert time.monotonic() - began < 10

    def test_many_who_say_nothing_keep_nobody_out(self, real):
        silent = [real.connect() for _ in range(100)]
        try:
            began = time.monotonic()
            assert real.ask("/login").status == 200
            assert time.monotonic() - began < 5
        finally:
            for line in silent:
                line.close()

    def test_one_address_does_not_take_all_connections(self, real):
        real._pages._server.callers = Callers(3)
        silent = [real.connect() for _ in range(3)]
        try:
            refused = real.ask("/login")
            assert (refused.status, refused.header("Retry-After")) == (429, "10")
            assert "Close some pages" in refused.text
            if sys.platform == "linux":  # elsewhere the machine has only one such address
                other = real.raw(real.request("/login"), "127.0.0.2")
                assert answer_in(other).status == 200
        finally:
            for line in silent:
                line.close()
        assert any(real.ask("/login").status == 200 for _ in range(500))


def drip(line):
    """How many bytes could be sent, one at a time, until the other side had enough."""
    line.settimeout(0.05)
    for count in range(1, 400):
        try:
            line.sendall(b"x")
            if not line.recv(100):
                return count
        except TimeoutError:
            continue
        except ConnectionError:
            return count
    raise AssertionError("it listens for ever")


class TestSessions:
    def login(self, real, who, password=None, **more):
        form = {"name": who, "password": password or f"{who}'s password"}
        return real.ask("/login", "POST", form=form, **more)

    def cookie_of(self, answer):
        return re.match(r"[^=]+=([^;]+)", answer.header("Set-Cookie"))[1]

    def test_a_planted_session_is_never_taken_over(self, real):
        answer = self.login(real, "reader", token="planted")
        mine = self.cookie_of(answer)
        assert mine != "planted"
        assert real.ask("/", token=mine).status == 200
        assert real.ask("/", token="planted").status == 303
        assert "HttpOnly" in answer.header("Set-Cookie")
        assert "SameSite=Lax" in answer.header("Set-Cookie")

    def test_each_sign_in_has_a_new_session_and_ends_the_one_it_came_with(self, real):
        first = self.cookie_of(self.login(real, "reader"))
        second = self.cookie_of(self.login(real, "reader", token=first))
        assert first != second
        assert real.ask("/", token=first).status == 303
        assert real.ask("/", token=second).status == 200

    def test_the_cookie_of_an_ended_session_opens_nothing(self, real, house, at):
        for end in ("logout", "ended", "removed"):
            mine = self.cookie_of(self.login(real, "reader"))
            if end == "logout":
                real.ask("/logout", "POST", token=mine)
            elif end == "ended":
                session = house.household.sessions.of(house.ids["reader"])[0]
                address = f"/share/sessions/{session.id}/end"
                assert real.ask(address, "POST", token=house._tokens["owner"]).status == 303
            else:
                house.household.remove(house.ids["reader"])
            assert real.ask(at, token=mine).status == 303
            assert real.ask(f"{at}/title", "POST", token=mine).status == 401
            assert real.socket_at(f"{at}/messages/x/live", token=mine).status == 401

    @pytest.mark.parametrize("cookie", ["", "x" * 5000, "a=b; c", '"\\"', "\0", "é" * 10])
    def test_rubbish_is_no_session(self, real, cookie):
        sent = cookie.encode("utf-8").decode("latin-1")
        assert real.ask("/", Cookie=f"{real.cookie}={sent}").status == 303

    def test_guesses_are_slowed_down_also_many_at_once(self, real):
        seen = []

        def guess():
            seen.append(self.login(real, "owner", "a wrong guess").status)

        guesses = [threading.Thread(target=guess) for _ in range(20)]
        for each in guesses:
            each.start()
        for each in guesses:
            each.join()
        assert sorted(seen) == [403] * 3 + [429] * 17
        assert self.login(real, "owner").status == 429

    def test_codes_are_guessed_no_faster(self, real):
        form = {"code": "0000-0000", "name": "Eve", "password": "a long password"}
        seen = [real.ask("/join", "POST", form=form).status for _ in range(6)]
        assert seen == [403] * 3 + [429] * 3

    def test_nobody_learns_who_is_here(self, real, house):
        """The same words, in a time that is alike: with the hash that is really used."""
        house.household._passwords = Passwords()
        for who in ("owner", "reader"):
            person = house.household.register.roll().named(who)
            kept = house.household._passwords.hashed(f"{who}'s password")
            house.household.register.set_password(person.id, kept)
        told, took = {}, {"reader": [], "nobody here": []}
        for _ in range(4):
            for name, seconds in took.items():
                began = time.perf_counter()
                answer = self.login(real, name, "a wrong guess")
                seconds.append(time.perf_counter() - began)
                told[name] = answer.status, answer.text.replace(name, "NAME")
                # Who signs in is not held back for what was tried before.
                assert self.login(real, "reader").status == 303
                assert self.login(real, "owner").status == 303
                house.household._failures._moments.clear()
        assert told["reader"] == told["nobody here"]
        known, unknown = (statistics.median(each) for each in took.values())
        assert 0.4 < known / unknown < 2.5


class Skeleton(HTMLParser):
    """Of a page: its tags, with the names of their attributes; the words are left out."""

    def __init__(self, html):
        super().__init__()
        self.tags = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, *sorted(name for name, _ in attrs)))
        for name, value in attrs:
            if name in ("href", "src", "action", "hx-get", "hx-post", "formaction"):
                # Own paths, or empty; never a scheme.
                assert re.match(r"(/(?!/)|#|$)", value or ""), (tag, name, value)


PAGES = (
    "/ /threads /projects /trash /share /assistants {t} {t}/map {t}/files {t}/files/{f} {t}/sharing"
    " {t}/changes {t}/window/settings {t}/assistant {t}/messages/{m}/acts {t}/messages/{m}/edit"
    " {t}/messages/{m}/delete {p} {p}/files {p}/removal {p}/sharing {t}/files/{f}/removal"
    " /share/people/{w}/removal {t}/files/list {t}/files/chips"
)


@pytest.mark.parametrize("text", [*TEXTS[:5], '"><script>alert(1)</script>', "' onload='alert(1)"])
def test_names_are_words_on_every_page(real, token, house, services, generation, text):
    """Of threads, projects, people, files, branches and questions: a page with evil ones has the
    same tags and attributes as one with plain ones."""
    scope = services.documents.thread(house.thread)
    asked = generation.ask(house.thread, "Plain").parent_id
    generation.live(services.library.path(house.thread)[-1].id).wait_done(timeout=10)
    skeletons = []
    for words in ("Plain", text):
        services.library.rename(house.thread, words)
        services.library.acts.mark(house.thread, asked, name=words, starred=True)
        services.projects.change(house.project, name=words, instructions=words)
        file = services.documents.add(scope, f"{words}.txt", BytesIO(words.encode()), 0).state
        services.documents.wait_over(scope, 30)
        code = house.household.register.invite()
        joined = {"code": code, "name": words[:30], "password": "a password"}
        assert real.ask("/join", "POST", form=joined, User_Agent=words).status == 303
        person = house.household.register.roll().named(words[:30]).id
        ids = {"t": f"/threads/{house.thread}", "p": f"/projects/{house.project}"}
        ids |= {"f": file.id, "m": asked, "w": person}
        found = {}
        for page in PAGES.split():
            answer = real.ask(page.format(**ids), token=token)
            assert answer.status == 200, page
            found[page] = set(Skeleton(answer.text).tags)
        skeletons.append(found)
        services.documents.acts.remove(scope, file.id)
        house.household.remove(person)
    plain, evil = skeletons
    assert {page: tags for page, tags in evil.items() if tags != plain[page]} == {}
