"""What is wrong with the lines of a log, by their numbers, in words. No files here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from webapp.chat.records import Delete, Put
from webapp.threads import log
from webapp.threads.findings import told


@dataclass
class LogCheckup:
    """Line numbers, counted from 1, by what is wrong with them."""

    torn: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    empty: list[int] = field(default_factory=list)
    strange: list[int] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)

    def sentences(self) -> list[str]:
        found = [
            told(self.torn, "line", "ends in the middle", "end in the middle"),
            told(self.changed, "line", "does not fit its checksum", "do not fit their checksums"),
            told(self.empty, "line", "holds NULs and no text", "hold NULs and no text"),
            told(self.strange, "line", "cannot be read", "cannot be read"),
            told(
                self.repeated,
                "line",
                "uses the id of an earlier message and takes its place",
                "use ids of earlier messages and take their places",
            ),
        ]
        return [sentence for sentence in found if sentence]


def check(lines: Iterable[bytes]) -> LogCheckup:
    """`lines` with their line ends."""
    checkup = LogCheckup()
    known: set[str] = set()
    for number, raw in enumerate(lines, 1):
        damaged: list[bytes] = []
        for line in log.read([raw], damaged):
            _follow(checkup, known, line, number)
        if damaged:
            _place_of(checkup, raw).append(number)
    return checkup


def _follow(checkup: LogCheckup, known: set[str], line: log.Line, number: int) -> None:
    match line.record:
        case Put(message):
            if message.id in known and not line.ours:
                checkup.repeated.append(f"{number} ({message.id})")
            known.add(message.id)
        case Delete(message_id):
            known.discard(message_id)


def _place_of(checkup: LogCheckup, raw: bytes) -> list[int]:
    text = raw.rstrip(b"\0\r\n ")
    if not text:
        return checkup.empty
    if text.endswith(b"}") and log.has_checksum(text):
        return checkup.changed
    torn = text.lstrip(b"\0 \xef\xbb\xbf").startswith(b"{") and not text.endswith(b"}")
    return checkup.torn if torn else checkup.strange
