"""Frames between the server and the child that holds the model: a length, then JSON.

JSON escapes everything that is not ASCII, so NUL and lone surrogates travel unharmed.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, fields
from typing import IO, Any, Final

from webapp.engines.engine import Event, Finished, Reading, Request, Sampling, Text, Turn

Frame = dict[str, Any]

_EVENTS: Final = {kind.__name__: kind for kind in (Reading, Text, Finished)}
_LONGEST: Final = 1 << 30
_LENGTH: Final = struct.Struct(">I")


def send(stream: IO[bytes], frame: Frame) -> None:
    """Write one whole frame. OSError when the other side is gone; one writer at a time."""
    body = json.dumps(frame).encode("ascii")
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> Frame | None:
    """The next frame, or None when the other side has ended or sends something else."""
    length = stream.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        return None
    size: int = _LENGTH.unpack(length)[0]
    body = stream.read(size) if size <= _LONGEST else b""
    try:
        frame = json.loads(body)
    except ValueError:  # torn, or not ours
        return None
    return frame if isinstance(frame, dict) else None


def event_frame(job: int, event: Event) -> Frame:
    """`last` tells the parent that the child is free for the next job."""
    last = isinstance(event, Finished)
    return {"job": job, "kind": type(event).__name__, "last": last, **asdict(event)}


def event_of(frame: Frame) -> Event:
    """The event that `event_frame` packed."""
    kind = _EVENTS[frame["kind"]]
    return kind(**{field.name: frame[field.name] for field in fields(kind)})


def request_frame(request: Request) -> Frame:
    return {"task": "generate", **asdict(request)}


def request_of(frame: Frame) -> Request:
    """The request that `request_frame` packed."""
    return Request(
        frame["id"],
        turns_of(frame),
        frame["max_tokens"],
        Sampling(**frame["sampling"]),
        tuple(frame["stop"]),
        frame["schema"],
        tuple(frame["tools"]),
    )


def turns_of(frame: Frame) -> tuple[Turn, ...]:
    return tuple(Turn(**turn) for turn in frame["turns"])
