"""What became of an assistant's own fields from one version of the data folder to the next.

Each step takes the fields as they are in `assistant.json` and gives them back, changed or not; to
do it twice changes nothing more. A new version is one more function at the end of `MIGRATIONS`.
What a person wrote is not touched: where a whole text is replaced, only the very text that the
version before had put there counts as not customised.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Mapping
from typing import Any, Final

from webapp.chat.parameters import usual

Fields = Mapping[str, Any]

V0_BEGINNING: Final = "You are a helpful AI assistant."
V1_INSTRUCTIONS: Final = "You are Jan, a helpful AI assistant."
V2_IDENTITY: Final = "You are Jan, an assistant that runs on the machine of the person you talk to."
V3_INSTRUCTIONS: Final = (
    "Answer in the language of the latest message, unless you are asked for another. "
    "Say so when you do not know something.\n\n"
    "Current date: {{current_date}}"
)
V2_INSTRUCTIONS: Final = f"{V2_IDENTITY}\n\n{V3_INSTRUCTIONS}"
"""The first paragraph says who the assistant is."""

# Jan wrote another text at its version 2. Its SHA-256 tells it as surely as its words would.
V2_ELSEWHERE: Final = frozenset(
    {"a401437713c714f15a7f3ea5b8b106ff8ca8a8961d5d66aec3fea1ffb3ea27bc"}
)


def m001_gives_the_old_beginning_a_name(fields: Fields) -> Fields:
    """What a person wrote after it stays."""
    text = fields.get("instructions")
    if not isinstance(text, str) or not text.startswith(V0_BEGINNING):
        return fields
    return {**fields, "instructions": V1_INSTRUCTIONS + text[len(V0_BEGINNING) :]}


def m002_says_more_and_sets_parameters(fields: Fields) -> Fields:
    """Parameters that are set already stay."""
    if fields.get("instructions") != V1_INSTRUCTIONS:
        return fields
    own = fields.get("parameters")
    parameters = {**usual(), **(own if isinstance(own, Mapping) else {})}
    return {**fields, "instructions": V2_INSTRUCTIONS, "parameters": parameters}


def m003_takes_the_identity_out(fields: Fields) -> Fields:
    text = fields.get("instructions")
    if not isinstance(text, str) or not is_text_of_v2(text):
        return fields
    return {**fields, "instructions": text.partition("\n\n")[2]}


MIGRATIONS: Final[tuple[Callable[[Fields], Fields], ...]] = (
    m001_gives_the_old_beginning_a_name,
    m002_says_more_and_sets_parameters,
    m003_takes_the_identity_out,
)
CURRENT: Final = len(MIGRATIONS)


def migrated(fields: Fields, version: int) -> Fields:
    """`fields` of a folder at `version`, as they are now; the same value when nothing changes."""
    for migrate in MIGRATIONS[max(version, 0) :]:
        fields = migrate(fields)
    return fields


def version_in(marker: bytes) -> int:
    """What the file `.migration_version` says; 0 for anything that is no version."""
    try:
        text = marker.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return 0
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def is_text_of_v2(text: str, elsewhere: Container[str] = V2_ELSEWHERE) -> bool:
    """Whether it is, word for word, what version 2 put there, here or (by SHA-256) elsewhere."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return text == V2_INSTRUCTIONS or digest in elsewhere
