"""JSON and JSON lines: kept as written, with escaped letters spelled out so they are found."""

from __future__ import annotations

import json
import re
from typing import Final

from webapp.documents.document import Document
from webapp.documents.parsing.encoding import Decoded, decode
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.plain import lines_of

_ESCAPES: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})*|.)", re.DOTALL)


class JsonParser:
    name = "JSON"
    suffixes = (".json", ".jsonl", ".ndjson", ".geojson")
    has_signature = False

    def recognises(self, source: Source) -> bool:
        return source.suffix in self.suffixes  # as text it reads just as well

    def parse(self, source: Source) -> Document:
        decoded = decode(source.data)
        text = _ESCAPES.sub(_spelled, decoded.text)
        return lines_of(source, Decoded(text, decoded.encoding), self.name)


def _spelled(found: re.Match[str]) -> str:
    """Letters for a run of `\\uXXXX`, unless one of them would not be seen or end the string."""
    escape = found[0]
    if not escape.startswith("\\u") or len(escape) < 6:
        return escape
    letters = str(json.loads(f'"{escape}"'))
    return letters if letters.isprintable() and not set(letters) & {'"', "\\"} else escape
