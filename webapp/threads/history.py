"""`history.jsonl`: what a thread was, for 30 days.

It holds, in the order of time: the lines of every log that a rewrite replaced, closed by a line
`{"log_until": <milliseconds>}`, and a line `{"thread": {"before", "after"}}` for every named
change of thread.json. A stretch that a crash left open is closed by the next one, which begins
with the same lines: playing lines twice ends where playing them once does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from webapp import durable
from webapp.chat.records import Record
from webapp.threads import exact, log
from webapp.threads.folders import HISTORY, LOG
from webapp.threads.replay import Replay

KEPT_MS: Final = 30 * 24 * 3600 * 1000

_UNTIL: Final = b'{"log_until":'
_THREAD: Final = b'{"thread":'


@dataclass(frozen=True)
class Stretch:
    """The whole log as it was when a rewrite replaced it; `until` is None for today's log."""

    lines: list[bytes]
    until: int | None


@dataclass(frozen=True)
class ThreadChange:
    """A named change of the thread's own fields."""

    act: log.Act
    at: int
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    raw: bytes


@dataclass
class Deed:
    """A named act on messages, put together from its lines; `stretch` holds them."""

    act: log.Act
    at: int
    stretch: Stretch
    records: list[Record] = field(default_factory=list)


@dataclass(frozen=True)
class History:
    stretches: tuple[Stretch, ...]
    thread_changes: tuple[ThreadChange, ...]

    def at(self, moment: int) -> tuple[Replay, list[bytes]]:
        """The messages at that moment, and the lines that could not be read."""
        stretch = next(each for each in self.stretches if _reaches(each, moment))
        damaged: list[bytes] = []
        lines = log.read(stretch.lines, damaged)
        return Replay(line.record for line in lines if line.at <= moment), damaged

    def field_changes(self) -> Iterator[ThreadChange]:
        """What named acts made of the thread's own fields, those on messages among them."""
        yield from self.thread_changes
        for deed in self.deeds().values():
            if deed.act.root:
                before, after = ({"metadata": _pointed(root)} for root in deed.act.root)
                yield ThreadChange(deed.act, deed.at, before, after, b"")

    def deeds(self) -> dict[str, Deed]:
        """Named acts on messages by id, oldest first."""
        found: dict[str, Deed] = {}
        for stretch in self.stretches:
            for line in log.read(filter(log.names_an_act, stretch.lines), []):
                _collect(found, line, stretch)
        return found


def load(folder: Path) -> History:
    """With today's log as the last stretch. Raises StorageFailed."""
    stretches: list[Stretch] = []
    changes: list[ThreadChange] = []
    lines: list[bytes] = []
    for raw in _lines(folder / HISTORY):
        until, change = _until(raw), _thread_change(raw)
        if until is not None:
            stretches.append(Stretch(lines, until))
            lines = []
        elif change is not None:
            changes.append(change)
        else:
            lines.append(raw)
    stretches.append(Stretch(_lines(folder / LOG), None))
    return History(tuple(stretches), tuple(changes))


def keep_log(folder: Path, data: bytes, now: int) -> None:
    """Keep a log that is about to be replaced, and let go what is older than 30 days. Durable."""
    whole = data if data.endswith(b"\n") else data + b"\n"
    section = whole + closing(now)
    path, oldest = folder / HISTORY, now - KEPT_MS
    if _begins_before(path, oldest):
        durable.replace(path, _left(load(folder), oldest) + section)
    else:
        durable.append(path, section, durable=True)


def keep_thread(
    folder: Path, before: Mapping[str, Any], after: Mapping[str, Any], now: int, act: log.Act
) -> None:
    """Keep a change of thread.json that is about to be made. Durable."""
    durable.append(folder / HISTORY, change_line(before, after, now, act), durable=True)


def closing(until: int) -> bytes:
    """The line behind a log that was replaced at that moment."""
    return log.seal(_UNTIL + b"%d" % until, until)


def change_line(
    before: Mapping[str, Any], after: Mapping[str, Any], at: int, act: log.Act
) -> bytes:
    """The line of a named change of thread.json."""
    body = exact.encoded(exact.dumps({"thread": {"before": before, "after": after}}))[:-1]
    return log.seal(body, at, act)


def state_around(deed: Deed) -> tuple[Replay, Replay]:
    """The messages just before the act and just after it."""
    before, after = Replay(), Replay()
    begun = False
    for line in log.read(deed.stretch.lines, []):
        mine = line.act is not None and line.act.id == deed.act.id
        begun = begun or mine
        if not begun:
            before.apply(line.record)
        if mine or not begun:
            after.apply(line.record)
    return before, after


def _pointed(root: str | None) -> dict[str, Any]:
    return {} if root is None else {"activeRootId": root}


def _reaches(stretch: Stretch, moment: int) -> bool:
    return stretch.until is None or stretch.until > moment


def _collect(found: dict[str, Deed], line: log.Line, stretch: Stretch) -> None:
    if line.act is None:
        return
    if line.act.what or line.act.root:
        found[line.act.id] = Deed(line.act, line.at, stretch)
    if line.act.id in found:
        found[line.act.id].records.append(line.record)


def _lines(path: Path) -> list[bytes]:
    with durable.reading(path):
        try:
            with path.open("rb") as file:
                return file.readlines()
        except FileNotFoundError:
            return []


def _until(raw: bytes) -> int | None:
    value = _ours(raw, _UNTIL)
    match value:
        case {"log_until": int(until)}:
            return until
    return None


def _thread_change(raw: bytes) -> ThreadChange | None:
    match _ours(raw, _THREAD):
        case {"thread": {"before": Mapping() as before, "after": Mapping() as after}}:
            _, at, act, _ = log.unseal(raw.strip())
            return ThreadChange(act, at, before, after, raw) if act else None
    return None


def _ours(raw: bytes, start: bytes) -> Any:
    if not raw.startswith(start):
        return None
    try:
        body, _, _, ours = log.unseal(raw.strip())
        return exact.loads(body.decode("utf-8") + "}") if ours else None
    except ValueError:
        return None


def _begins_before(path: Path, moment: int) -> bool:
    with durable.reading(path), suppress(FileNotFoundError), path.open("rb") as file:
        for raw in file:
            until, change = _until(raw), _thread_change(raw)
            if until is not None:
                return until <= moment
            if change is not None:
                return change.at <= moment
    return False


def _left(history: History, oldest: int) -> bytes:
    stretches = [each for each in history.stretches if each.until and each.until > oldest]
    changes = [each.raw for each in history.thread_changes if each.at > oldest]
    return b"".join((*_whole(stretches), *changes))


def _whole(stretches: Iterable[Stretch]) -> Iterable[bytes]:
    for stretch in stretches:
        yield from stretch.lines
        yield closing(stretch.until or 0)
