"""The socket over which a page follows an answer: state and a cursor, never a queue.

A reader names the blocks it holds (`have`, within `epoch`) and gets frames of JSON until the
answer is over, at most one every 40 ms:

    n  index of the first block in c          o  HTML of the open block
    c  blocks closed since                    e  epoch: another one means begin anew
    p  phase      t  sentence for the reader  d  1 in the last frame
"""

from __future__ import annotations

import json
import socket
import threading
import time
import weakref
from typing import Any, Protocol

from flask import Flask, request
from flask_sock import Sock

from webapp.errors import NotFound
from webapp.generation.broadcast import LiveAnswer, Snapshot
from webapp.web.blocks import GrowingText
from webapp.web.services import services

FRAME_SECONDS = 0.04
PING_SECONDS = 20
STALLED_SECONDS = 5.0
WAKE_SECONDS = 1.0
LARGEST_FROM_READER = 65_536
# Large open blocks are sent less often, so that no reader is sent more than this a second.
OPEN_CHARACTERS_A_SECOND = 1_000_000
GONE = 4404

_growing: weakref.WeakKeyDictionary[LiveAnswer, GrowingText] = weakref.WeakKeyDictionary()
_growing_lock = threading.Lock()


class Reader(Protocol):
    """What is needed of a websocket."""

    connected: bool

    def send(self, data: str) -> None: ...

    def close(self, reason: int | None = None, message: str | None = None) -> None: ...


class OneSender:
    """A socket whose sends are whole, one at a time, and given up when the other side stalls.

    The websocket's own thread pings while ours sends; and `send` alone may send but a part."""

    def __init__(self, inner: socket.socket) -> None:
        self._inner = inner
        self._lock = threading.Lock()

    def send(self, data: bytes) -> int:
        with self._lock:
            watchdog = threading.Timer(STALLED_SECONDS, self._give_up)
            watchdog.daemon = True
            watchdog.start()
            try:
                self._inner.sendall(data)
            finally:
                watchdog.cancel()
        return len(data)

    def _give_up(self) -> None:
        try:
            self._inner.shutdown(socket.SHUT_RDWR)
        except OSError:
            # It ended by itself meanwhile.
            return

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def install(app: Flask) -> None:
    app.config["SOCK_SERVER_OPTIONS"] = {
        "ping_interval": PING_SECONDS,
        "max_message_size": LARGEST_FROM_READER,
    }
    Sock(app).route("/threads/<thread_id>/messages/<message_id>/live")(route)


def route(ws: Any, thread_id: str, message_id: str) -> None:
    ws.sock = OneSender(ws.sock)
    have = request.args.get("have", 0, type=int)
    epoch = request.args.get("epoch", 0, type=int)
    live = services().generation.live(message_id)
    if live is not None and live.thread_id == thread_id:
        follow(ws, live, have, epoch)
    else:
        tell_finished(ws, thread_id, message_id)


def growing_text(live: LiveAnswer) -> GrowingText:
    """The one of this answer, shared by all its readers."""
    with _growing_lock:
        return _growing.setdefault(live, GrowingText())


def follow(ws: Reader, live: LiveAnswer, have: int, epoch: int) -> None:
    """Send frames until the answer is over or the reader is gone."""
    text, version = growing_text(live), -1
    while ws.connected:
        now = live.wait(version, WAKE_SECONDS)
        if now.version == version:
            continue
        version = now.version
        blocks = text.show(now.text, finished=now.done)
        if blocks.epoch != epoch or have > len(blocks.closed):
            have, epoch = 0, blocks.epoch
        ws.send(_frame(now, have, epoch, blocks.closed[have:], blocks.open))
        have = len(blocks.closed)
        if now.done:
            return
        time.sleep(FRAME_SECONDS + len(blocks.open) / OPEN_CHARACTERS_A_SECOND)


def tell_finished(ws: Reader, thread_id: str, message_id: str) -> None:
    """One frame with the whole answer for who comes late; a closed socket for who is lost."""
    try:
        message = services().library.message(thread_id, message_id)
    except NotFound:
        ws.close(GONE, "There is no such message.")
        return
    whole = GrowingText().show(message.text, finished=True)
    done = Snapshot(0, message.text, "ready")
    # No epoch of a live answer is negative, so the reader replaces what it holds.
    ws.send(_frame(done, 0, -1, whole.closed, ""))


def _frame(now: Snapshot, first: int, epoch: int, closed: tuple[str, ...], open: str) -> str:
    frame: dict[str, object] = {"n": first, "c": closed, "o": open, "e": epoch, "p": now.phase}
    if now.detail:
        frame["t"] = now.detail
    if now.done:
        frame["d"] = 1
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
