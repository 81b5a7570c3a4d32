"""The program that reads one file: `python -m webapp.documents.parsing.child`.

A parser that crashes, hangs or eats memory takes only this program with it. One line of JSON on
standard input says what to read; the end of standard input ends the program. Lines of JSON go out
by the standard output it was started with; whatever else prints goes to standard error.

Out: {"kind": "progress" | "pictures", "done", "total"} as it goes on, then the lines of `lines.py`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from webapp.documents.parsing import refusals
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.limits import Limits
from webapp.documents.parsing.lines import Line, lines_of, refusal_line
from webapp.documents.parsing.parser import Source
from webapp.errors import Unreadable

_OPEN_FILES: Final = 64
_SPARE_SECONDS: Final = 2


class Outgoing:
    """Lines to the server. Without a server there is nothing left to do."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def tell(self, line: Line) -> None:
        try:
            self._stream.write(json.dumps(line).encode("ascii") + b"\n")
            self._stream.flush()
        except OSError:
            os._exit(0)


def outcome(order: Line, outgoing: Outgoing) -> Iterator[Line]:
    """What became of the file in `order`, whatever its parser did."""
    limits = Limits(**order["limits"])
    source = Source(
        Path(order["path"]),
        order["name"],
        limits,
        lambda done, total: outgoing.tell({"kind": "progress", "done": done, "total": total}),
        lambda done, total: outgoing.tell({"kind": "pictures", "done": done, "total": total}),
    )
    try:
        yield from lines_of(parse(source))
    except Unreadable as fault:
        yield refusal_line(fault)
    except MemoryError:
        yield refusal_line(refusals.too_much_memory())
    except BaseException:  # also what libraries in other languages throw; the trace is for the log
        traceback.print_exc()
        yield refusal_line(refusals.damaged())


def restrict(limits: Limits) -> None:
    """No more memory, time, files or dumps than it needs; nothing written but to pipes."""
    try:
        import resource  # noqa: PLC0415 - not on Windows; there the server watches
    except ImportError:
        return
    seconds = int(limits.seconds + limits.pages * limits.seconds_a_page) + _SPARE_SECONDS
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, limits.memory_bytes),
    ):
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):  # macOS takes no limit of memory
            sys.stderr.write(f"limit {kind} was refused\n")


def _end_with_server() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    outgoing = Outgoing(os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    first = sys.stdin.buffer.readline()
    if not first:
        return
    order = json.loads(first)
    restrict(Limits(**order["limits"]))
    threading.Thread(target=_end_with_server, daemon=True).start()
    for line in outcome(order, outgoing):
        outgoing.tell(line)
    os._exit(0)


if __name__ == "__main__":
    main()
