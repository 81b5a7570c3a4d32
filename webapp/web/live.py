"""The socket over which a page follows an answer: state and a cursor, never a queue.

A reader names the blocks it holds (`have`, within `epoch`) and gets frames (see `frames.py`) until
the answer is over, at most one every 40 ms. A slow reader gets fewer and larger ones. The answer
does not depend on its readers: closing the socket stops nothing.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from flask import Flask, Response, request
from flask_sock import Sock
from simple_websocket import ConnectionClosed
from wsproto.utilities import ProtocolError, RemoteProtocolError

from webapp.chat.messages import Message
from webapp.errors import NotFound, StrataError
from webapp.generation.broadcast import OVER, LiveAnswer, Phase, Snapshot
from webapp.web.access import still_allowed
from webapp.web.blocks import Blocks, GrowingText
from webapp.web.frames import Cursor, next_frame
from webapp.web.growing import NOTHING
from webapp.web.markdown import answer_blocks
from webapp.web.safe_html import sendable
from webapp.web.services import services
from webapp.web.steady_socket import StallWatch, SteadySocket

FRAME_SECONDS = 0.04
PING_SECONDS = 20
WAKE_SECONDS = 1.0
LONGEST_REST = 2.0
LARGEST_FROM_READER = 65_536
GOODBYE_SECONDS = 5.0
# Codes of our own; after 44… the reader need not come back.
NOT_ASKED = 4400
NOT_ALLOWED = 4401
UNREADABLE = 4500

GONE = json.dumps({"n": 0, "c": [], "e": -1, "p": "gone", "d": 1})

_watch = StallWatch()
_growing: weakref.WeakKeyDictionary[LiveAnswer, GrowingText] = weakref.WeakKeyDictionary()
_growing_lock = threading.Lock()


class Reader(Protocol):
    """What is needed of a websocket."""

    connected: bool

    def send(self, data: str) -> None: ...

    def receive(self, timeout: float | None = None) -> object: ...

    def close(self, reason: int | None = None, message: str | None = None) -> None: ...


def install(app: Flask) -> None:
    app.config["SOCK_SERVER_OPTIONS"] = {
        "ping_interval": PING_SECONDS,
        "max_message_size": LARGEST_FROM_READER,
    }
    Sock(app).route("/threads/<thread_id>/messages/<message_id>/live")(route)
    app.register_error_handler(RemoteProtocolError, no_handshake)


def no_handshake(error: RemoteProtocolError) -> Response:
    """For who asks for a socket in a way that is none."""
    headers = {"Sec-WebSocket-Version": "13"}
    return Response(
        f"This does not open a websocket: {error}.\n", 400, headers, mimetype="text/plain"
    )


def route(ws: Any, thread_id: str, message_id: str) -> None:
    ws.sock = SteadySocket(ws.sock, _watch)
    have = request.args.get("have", 0, type=int)
    epoch = request.args.get("epoch", 0, type=int)
    live = services().generation.live(message_id)
    try:
        if live is not None and live.thread_id == thread_id:
            follow(ws, live, Cursor(have, epoch), still_allowed())
        else:
            tell_finished(ws, thread_id, message_id)
    except (OSError, ConnectionClosed, ProtocolError):
        # The reader is gone, or spoke no websocket; it comes back with its cursor, or not at all.
        return
    finally:
        hang_up(ws)


def follow(
    ws: Reader, live: LiveAnswer, cursor: Cursor, allowed: Callable[[], bool] = lambda: True
) -> None:
    """Send frames until the answer is over, or the reader is gone or no longer `allowed`."""
    text, version = _growing_text(live), -1
    while ws.connected:
        if ws.receive(timeout=0) is not None:
            # Pages only listen; what else may come must not pile up.
            ws.close(NOT_ASKED, "Only frames are sent here.")
            return
        if not allowed():
            ws.close(NOT_ALLOWED, "This session has ended.")
            return
        now = live.wait(version, WAKE_SECONDS)
        if now.version == version:
            continue
        blocks = text.show(now.text, finished=now.done)
        frame, cursor = next_frame(now, blocks, cursor)
        if frame:
            ws.send(frame)
        if now.done:
            part(ws)
            return
        # What is shown may lag behind for the sake of the processor; then there is more to come.
        version = now.version if blocks.characters >= len(now.text) else version
        time.sleep(min(max(FRAME_SECONDS, blocks.rest), LONGEST_REST))


def tell_finished(ws: Reader, thread_id: str, message_id: str) -> None:
    """One frame with the whole answer for who comes late, or one that says it is gone."""
    try:
        message = services().library.message(thread_id, message_id)
    except NotFound:
        ws.send(GONE)
    except StrataError:
        ws.close(UNREADABLE, "This message cannot be read now.")
        return
    else:
        now = Snapshot(0, message.text, _phase(message), message.error or "")
        whole = tuple(answer_blocks(sendable(message.text)))
        # No epoch of a live answer is negative, so the reader replaces what it holds.
        ws.send(next_frame(now, Blocks(-1, whole, NOTHING), Cursor())[0])
    part(ws)


def part(ws: Reader) -> None:
    """Let the reader close, so that it has read everything before the line is cut."""
    ws.receive(timeout=GOODBYE_SECONDS)


def hang_up(ws: Any) -> None:
    """Close, and cut the line: else the HTTP server would write an answer of its own behind our
    last frame, and a browser takes that for a broken one."""
    with contextlib.suppress(OSError, ConnectionClosed, ProtocolError):
        ws.close()
    with contextlib.suppress(OSError):
        ws.sock.shutdown(socket.SHUT_RDWR)


def _phase(message: Message) -> Phase:
    """How it ended. A pending answer that nobody makes any more was cut off."""
    return next((phase for phase in OVER if phase == message.status), "stopped")


def _growing_text(live: LiveAnswer) -> GrowingText:
    """The one of this answer, shared by all its readers."""
    with _growing_lock:
        return _growing.setdefault(live, GrowingText())
