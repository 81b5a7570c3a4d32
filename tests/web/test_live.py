"""Following an answer over its socket: with a stand-in for the socket, and over a real one."""

import json
import socket
import threading
import time

import pytest
from simple_websocket import Client
from werkzeug.serving import make_server
from wsproto.utilities import LocalProtocolError

from webapp.chat.messages import new_message
from webapp.chat.records import Put
from webapp.engines.script import Reply, Say, Wait
from webapp.generation.broadcast import LiveAnswer
from webapp.web import live as door
from webapp.web.frames import Cursor
from webapp.web.live import follow
from webapp.web.markdown import to_html


class Reader:
    """Stands where a websocket stands; wakes whoever waits for a frame."""

    def __init__(self):
        self.connected = True
        self.frames = []
        self.says = None
        self.closed = None
        self._news = threading.Condition()

    def send(self, data):
        with self._news:
            self.frames.append(json.loads(data))
            self._news.notify_all()

    def receive(self, timeout=None):
        said, self.says = self.says, None
        return said

    def close(self, reason=None, message=None):
        self.closed, self.connected = reason, False

    def wait_for(self, test):
        with self._news:
            assert self._news.wait_for(lambda: any(map(test, self.frames)), timeout=10)


class Page:
    """What stream.js makes of frames."""

    def __init__(self):
        self.blocks, self.epoch, self.open, self.last = [], None, "", {}

    def take(self, frame):
        if frame["e"] != self.epoch:
            self.blocks, self.epoch, self.open = [], frame["e"], ""
        for place, html in enumerate(frame["c"], frame["n"]):
            assert place <= len(self.blocks), "a block is missing"
            if place == len(self.blocks):
                self.blocks.append(html)
                self.open = ""
        self.open = frame.get("o", self.open)
        if frame.get("d"):
            self.open = ""
        self.last = frame

    @property
    def html(self):
        return "".join(self.blocks) + self.open


def following(live, reader, cursor=None):
    thread = threading.Thread(target=follow, args=(reader, live, cursor or Cursor(0, 0)))
    thread.start()
    return thread


TEXT = "# Tides\n\nThe **moon** pulls.\n\n```python\nx = 1\n```\n\nThe end."


def test_an_answer_arrives_whole_and_the_last_frame_says_so():
    live, reader, page = LiveAnswer("t", "m"), Reader(), Page()
    thread = following(live, reader)
    for piece in TEXT.split(" "):
        live.grow(piece + " ")
    live.show("ready")
    thread.join(10)
    for frame in reader.frames:
        page.take(frame)
    assert page.html == to_html(TEXT + " ")
    assert (page.last["d"], page.last["p"]) == (1, "ready")


def test_a_reader_that_comes_back_gets_only_what_it_lacks():
    live, first, page = LiveAnswer("t", "m"), Reader(), Page()
    live.grow("One.\n\nTwo.\n\nThree.\n")
    thread = following(live, first)
    first.wait_for(lambda frame: len(frame["c"]) == 2)
    first.connected = False
    thread.join(10)
    for frame in first.frames:
        page.take(frame)
    second = Reader()
    live.grow("\nFour.\n")
    live.show("ready")
    following(live, second, Cursor(len(page.blocks), page.epoch)).join(10)
    assert second.frames[0]["n"] == 2
    for frame in second.frames:
        page.take(frame)
    assert page.html == to_html("One.\n\nTwo.\n\nThree.\n\nFour.\n")


def test_phases_are_told_before_there_is_text():
    live, reader = LiveAnswer("t", "m"), Reader()
    live.show("queued", "2nd in line")
    thread = following(live, reader)
    reader.wait_for(lambda frame: frame.get("t") == "2nd in line")
    live.show("reading", "Reading 1,200 of 3,000 tokens")
    reader.wait_for(lambda frame: frame.get("t") == "Reading 1,200 of 3,000 tokens")
    live.show("error", "The model failed.")
    thread.join(10)
    assert reader.frames[-1]["p"] == "error"


def test_many_words_at_once_make_few_frames():
    live, reader = LiveAnswer("t", "m"), Reader()
    thread = following(live, reader)
    for _ in range(2000):
        live.grow("word ")
    live.show("ready")
    thread.join(10)
    assert len(reader.frames) < 40


def test_a_reader_that_talks_is_sent_away():
    live, reader = LiveAnswer("t", "m"), Reader()
    reader.says = "hello"
    following(live, reader).join(10)
    assert reader.closed == door.NOT_ASKED


def test_a_reader_that_is_gone_frees_its_thread():
    live, reader = LiveAnswer("t", "m"), Reader()
    thread = following(live, reader)
    reader.wait_for(lambda frame: frame["p"] == "queued")
    reader.connected = False
    thread.join(10)
    assert not thread.is_alive()


# Over a real socket ------------------------------------------------------------------------


@pytest.fixture
def held(engine):
    """An answer that waits in the middle; set it to let the answer end."""
    go_on = threading.Event()
    engine.queue(Reply((Say(TEXT[:40]), Wait(go_on), Say(TEXT[40:]))))
    yield go_on
    go_on.set()


@pytest.fixture
def port(app):
    server = make_server("127.0.0.1", 0, app, threaded=True)
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    yield server.port
    server.shutdown()
    server.server_close()
    serving.join(10)


class Listener(Client):
    """Also hears what comes in one breath with the answer to the handshake."""

    def handshake(self):
        super().handshake()
        self.connected = self._handle_events()


@pytest.fixture
def listen(port):
    clients = []

    def listen(thread_id, message_id, have=0, epoch=0):
        address = f"ws://127.0.0.1:{port}/threads/{thread_id}/messages/{message_id}/live"
        own = {"Origin": "http://127.0.0.1"}  # this client leaves the port out of Host too
        clients.append(Listener(f"{address}?have={have}&epoch={epoch}", headers=own))
        return clients[-1]

    yield listen
    for client in clients:
        if client.connected:
            client.close()


def frames(client):
    """Until the last one, closing as a page does."""
    while True:
        frame = json.loads(client.receive(timeout=10))
        yield frame
        if frame.get("d"):
            client.close()
            return


def shown(client):
    page = Page()
    for frame in frames(client):
        page.take(frame)
    return page


def test_two_pages_follow_one_answer_and_end_the_same(generation, held, listen, library):
    answer = generation.ask(library.create("Tides").id, "Tides?")
    clients = [listen(answer.thread_id, answer.id) for _ in range(2)]
    first = json.loads(clients[0].receive(timeout=10))
    held.set()
    pages = [shown(client) for client in clients[1:]]
    late = Page()
    late.take(first)
    for frame in frames(clients[0]):
        late.take(frame)
    assert {page.html for page in (*pages, late)} == {to_html(TEXT)}


def test_a_page_that_comes_late_gets_the_finished_answer_in_one_frame(page, ids, listen):
    thread_id = page.begin("/echo # Finished")
    client = listen(thread_id, ids(thread_id)[-1], have=3, epoch=2)
    (only,) = frames(client)
    assert (only["n"], only["d"], only["p"], only["e"]) == (0, 1, "ready", -1)
    assert "".join(only["c"]) == to_html("# Finished")


def test_a_page_of_an_answer_that_is_no_more_is_told_so(listen):
    (only,) = frames(listen("nowhere", "nothing"))
    assert only["p"] == "gone"


def test_an_answer_cannot_be_followed_under_another_thread(generation, held, listen, library):
    answer = generation.ask(library.create("Tides").id, "Tides?")
    (only,) = frames(listen(library.create("Other").id, answer.id))
    assert only["p"] == "gone"


def test_an_answer_that_was_cut_off_is_told_as_stopped(library, store, listen):
    thread_id = library.create("Cut").id
    message = new_message(
        id="cut", thread_id=thread_id, role="assistant", text="Half", created_at=1, status="pending"
    )
    store.write(thread_id, [Put(message)])
    (only,) = frames(listen(thread_id, "cut"))
    assert only["p"] in ("stopped", "gone")
    assert "Half" in "".join(only["c"])


def handshake(port, path, origin):
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {origin}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ).encode()


def test_another_page_cannot_listen(page, ids, port):
    thread_id = page.begin()
    path = f"/threads/{thread_id}/messages/{ids(thread_id)[-1]}/live"
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(handshake(port, path, "http://attacker.example"))
        assert b" 403 " in line.recv(100)


def test_closing_the_page_stops_nothing(generation, held, listen, library):
    answer = generation.ask(library.create("Tides").id, "Tides?")
    client = listen(answer.thread_id, answer.id)
    client.receive(timeout=10)
    client.close()
    live = generation.live(answer.id)
    held.set()
    assert live.wait_done(timeout=10).phase == "ready"
    assert library.message(answer.thread_id, answer.id).text == TEXT


def test_the_line_is_cut_behind_the_last_frame_without_another_word(page, ids, port):
    thread_id = page.begin("/echo done")
    path = f"/threads/{thread_id}/messages/{ids(thread_id)[-1]}/live"
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(handshake(port, path, f"http://127.0.0.1:{port}"))
        received = b""
        while b'"d":1' not in received:
            received += line.recv(65_536)
        line.sendall(bytes([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8]))  # close, 1000
        received += b"".join(iter(lambda: line.recv(65_536), b""))
    assert received.startswith(b"HTTP/1.1 101")
    assert received.count(b"HTTP/1.1") == 1


def test_a_reader_that_breaks_the_protocol_is_let_go_without_a_fault(app, page, ids):
    """Its last frame may be on its way while the line is being closed for what it said."""

    class Closing(Reader):
        def send(self, *said):
            raise LocalProtocolError("cannot be sent in state LOCAL_CLOSING")

        close = send

    thread_id = page.begin("/echo done")
    ours, theirs = socket.socketpair()
    with ours, theirs, app.test_request_context():
        reader = Closing()
        reader.sock = ours
        door.route(reader, thread_id, ids(thread_id)[-1])
        assert theirs.recv(1) == b""


def test_a_reader_that_vanished_without_a_word_is_let_go_by_pings(
    app, generation, held, port, library
):
    app.config["SOCK_SERVER_OPTIONS"]["ping_interval"] = 0.1
    answer = generation.ask(library.create("Tides").id, "Tides?")
    path = f"/threads/{answer.thread_id}/messages/{answer.id}/live"
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(handshake(port, path, f"http://127.0.0.1:{port}"))
        received = b"".join(iter(lambda: line.recv(65_536), b""))
    assert b"Ping/Pong timeout" in received


def test_a_hundred_readers_that_vanished_give_all_their_threads_back(
    app, generation, held, port, library
):
    app.config["SOCK_SERVER_OPTIONS"]["ping_interval"] = 0.5
    answer = generation.ask(library.create("Tides").id, "Tides?")
    path = f"/threads/{answer.thread_id}/messages/{answer.id}/live"
    before, pause = threading.active_count(), threading.Event()
    lines = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(100)]
    for line in lines:
        line.sendall(handshake(port, path, f"http://127.0.0.1:{port}"))
    assert all(b" 101 " in line.recv(100) for line in lines)
    assert threading.active_count() >= before + 100
    for line in lines[::2]:
        line.close()  # the others stay open and never answer a ping
    deadline = time.monotonic() + 10
    while threading.active_count() > before:
        assert time.monotonic() < deadline
        pause.wait(0.05)
    for line in lines:
        line.close()
    held.set()
    assert generation.live(answer.id).wait_done(timeout=10).phase == "ready"
