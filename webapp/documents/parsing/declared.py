"""What a text file says about its own encoding, in the ways its kind has for that."""

from __future__ import annotations

import re
from typing import Final

_LOOKED_AT: Final = 2_048
_NAMED: Final = (
    re.compile(rb"\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})"),
    re.compile(rb"\A(?:[^\n]*\n)?[^\n]*?coding[:=][ \t]*([\w.-]{2,40})"),  # as Python and Emacs do
    re.compile(rb"\A@charset \"([\w.:-]{2,40})\""),
    re.compile(rb"\\usepackage\[(\w{2,40})\]\{inputenc\}"),
)


def declared_in(data: bytes) -> str:
    """Empty where nothing is said."""
    head = data[:_LOOKED_AT].removeprefix(b"\xef\xbb\xbf")
    found = next((match for kind in _NAMED if (match := kind.search(head))), None)
    return found[1].decode("ascii") if found and found[1].isascii() else ""
