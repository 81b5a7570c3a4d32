"""A thread as one JSON file without loss: its own fields, what is known of its files, and every
message as it is kept, with all versions, pointers, notes and citations.

Whose it is, with whom it is shared and who asked what stays behind: that holds only where it came
from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from webapp.chat.authors import unsigned
from webapp.chat.messages import Message, Thread
from webapp.errors import BadInput
from webapp.threads import exact
from webapp.threads.ownership import OWNER, SHARES

FORMAT: Final = "strata-thread"
VERSION: Final = 1


def pieces(
    thread: Thread, messages: Sequence[Message], files: Sequence[Mapping[str, Any]]
) -> Iterator[bytes]:
    """The bytes of the file, a message at a time. Raises BadInput for what is nested too deeply."""
    own = thread.without_metadata(OWNER, SHARES).data
    yield _encoded(f'{{"format":"{FORMAT}","version":{VERSION},\n"thread":', own)
    yield _encoded(',\n"files":', list(files))
    yield b',\n"messages":['
    for number, message in enumerate(messages):
        yield _encoded(",\n" if number else "\n", unsigned(message).data)
    yield b"\n]}\n"


def _encoded(before: str, value: object) -> bytes:
    try:
        return exact.encoded(before + exact.dumps(value))
    except ValueError:
        raise BadInput("A message of this thread is nested too deeply to be written.") from None
