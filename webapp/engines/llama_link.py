"""The server's end of one child: starts the program, sends frames, hears frames and the end."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final

from webapp.engines.wire import Frame, receive, send

COMMAND: Final = (sys.executable, "-P", "-m", "webapp.engines.llama_child")

_log = logging.getLogger(__name__)
_SECONDS_TO_END: Final = 2.0
SPINS: Final = "1000"


class Link:
    """One child from start to end. `heard` and `ended` are called from a thread of the link.

    `ended` gets the exit code, negative for a signal, after everything that was heard."""

    def __init__(
        self,
        command: Sequence[str],
        heard: Callable[[Link, Frame], None],
        ended: Callable[[Link, int], None],
    ) -> None:
        self._heard = heard
        self._ended = ended
        self._write_turn = threading.Lock()
        self._child = subprocess.Popen(  # noqa: S603 - our own program, no shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
            start_new_session=True,
        )
        self.pid = self._child.pid
        threading.Thread(target=self._copy_log, name="model log", daemon=True).start()
        self._listener = threading.Thread(target=self._listen, name="model", daemon=True)
        self._listener.start()

    def send(self, frame: Frame) -> None:
        """A child that has ended hears nothing; `ended` tells about it."""
        with contextlib.suppress(OSError, ValueError), self._write_turn:
            send(_pipe(self._child.stdin), frame)

    def kill(self) -> None:
        self._child.kill()

    def close(self) -> None:
        """End the child, and hear all it still says."""
        self.end()
        if threading.current_thread() is not self._listener:
            self._listener.join(_SECONDS_TO_END)

    def end(self) -> None:
        """End the child: by closing its input, and by force when that is not enough."""
        if self._write_turn.acquire(timeout=_SECONDS_TO_END):
            with contextlib.suppress(OSError):
                _pipe(self._child.stdin).close()
            self._write_turn.release()
        self._wait()

    def _wait(self) -> int:
        """The exit code, soon: a child that no longer talks but lives is ended by force."""
        try:
            return self._child.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._child.kill()
            return self._child.wait()

    def _listen(self) -> None:
        with _pipe(self._child.stdout) as incoming:
            while (frame := receive(incoming)) is not None:
                self._heard(self, frame)
        code = self._wait()
        with contextlib.suppress(OSError), self._write_turn:
            _pipe(self._child.stdin).close()
        self._ended(self, code)

    def _copy_log(self) -> None:
        with _pipe(self._child.stderr) as lines:
            for line in lines:
                _log.info("%s", line.decode("utf-8", "replace").rstrip())


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ValueError("not a pipe")
    return stream


def _environment() -> dict[str, str]:
    """Ours, with this package in reach from any working directory.

    Threads of llama.cpp that wait for each other spin for milliseconds by default, and on a
    machine with other work that makes answers three to six times slower. A short spin costs
    nothing that could be measured on an idle one."""
    root = str(Path(__file__).parents[2])
    known = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([root, known] if known else [root])
    return {"GOMP_SPINCOUNT": SPINS, **os.environ, "PYTHONPATH": path}
