"""Runs one step of a set-up: its output goes to a log, a person sees that it goes on.

On a terminal one line is kept up to date; elsewhere a line is written now and then. A failed step
raises Trouble with the end of its log and what to do. Standard library only."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

NOTE_EVERY_S = 20  # without a terminal
END_WITHIN_S = 5
ADVICE = (  # what the log says, and what to do about it; the first that fits
    ("No space left on device|Disk quota exceeded", "Make room on the disk"),
    (
        "CMAKE_C(XX)?_COMPILER|compiler .* not found|is not able to compile",
        "Install a C++ compiler",
    ),
    ("Failed to establish|Connection|resolve|timed out|SSLError", "Look at the network connection"),
    ("ensurepip", "Install Python's venv module"),
    ("Killed|signal: 9|cannot allocate memory", "Close other programs: memory ran out"),
)


class Trouble(Exception):
    """What happened and what to do, for a person to read."""


def run(
    label: str, command: list[str], log: Path, env: Mapping[str, str], kept_open: tuple[int, ...]
) -> None:
    """Runs `command` in a group of its own; `kept_open` are files that it inherits."""
    start = log.stat().st_size if log.exists() else 0
    began = time.monotonic()
    show(label)
    with log.open("ab") as output:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=env,
            start_new_session=True,
            pass_fds=kept_open,
        )
    try:
        _watch(child, label, log, start)
    except BaseException:
        _end(child)
        raise
    if child.returncode:
        say("")
        raise Trouble(explain(label, log, start))
    show(f"{label}: done in {clock(time.monotonic() - began)}", last=True)


def _watch(child: subprocess.Popen[bytes], label: str, log: Path, start: int) -> None:
    began, pause = time.monotonic(), 0.5 if sys.stderr.isatty() else NOTE_EVERY_S
    while child.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(pause)
            break
        text = log.read_bytes()[start:].decode("utf-8", "replace")
        show(f"{label}: {clock(time.monotonic() - began)}{share_built(text)}")


def _end(child: subprocess.Popen[bytes]) -> None:
    """Stops pip and every compiler it started; pip then clears its temporary folders. Programs
    that run in the background may have been told to ignore an interruption."""
    if os.name == "nt":
        child.terminate()
    else:
        for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, ending)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(END_WITHIN_S)
                return
    child.wait()


def share_built(log: str) -> str:
    """', 45 %' from the last progress mark of ninja ([9/20]) or make ([ 45%]), else nothing."""
    marks = re.findall(r"\[ *(\d+)(?:/(\d+)|%)\]", log)
    if not marks:
        return ""
    done, total = marks[-1]
    return f", {100 * int(done) // int(total or 100)} %"


def explain(label: str, log: Path, start: int) -> str:
    text = log.read_bytes()[start:].decode("utf-8", "replace")
    end = "".join(f"    {line}\n" for line in text.splitlines()[-15:])
    fitting = (advice for pattern, advice in ADVICE if re.search(pattern, text, re.I))
    advice = next(fitting, "Read the log")
    return f"{end}{label} failed; the whole log is in {log}.\n{advice}, then run this again."


def show(text: str, *, last: bool = False) -> None:
    if sys.stderr.isatty():
        shown = f"  {text}"[: shutil.get_terminal_size().columns - 1]  # one line can be rewritten
        sys.stderr.write(f"\r\x1b[K{shown}" + ("\n" if last else ""))
        sys.stderr.flush()
    else:
        say(f"  {text}")


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
