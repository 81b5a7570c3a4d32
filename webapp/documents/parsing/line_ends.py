"""Words that a PDF broke at the end of a line: put together again.

PDFium marks each with U+FFFE in place of the hyphen, also where the hyphen belongs to the word."""

from __future__ import annotations

import re
from typing import Final

_MARK: Final = "\ufffe"
_BROKEN: Final = re.compile(f"(\\w*){_MARK}\n?(\\w*)")
_WORDS: Final = re.compile(r"\w+(?:-\w+)*")


def joined(pages: list[str]) -> list[str]:
    """The hyphen stays where only the hyphenated word occurs elsewhere in the document."""
    if not any(_MARK in page for page in pages):
        return pages
    known = {word.lower() for page in pages for word in _WORDS.findall(_BROKEN.sub(" ", page))}

    def mend(found: re.Match[str]) -> str:
        whole, hyphened = found[1] + found[2], f"{found[1]}-{found[2]}"
        apart = whole.lower() not in known and hyphened.lower() in known
        return hyphened if apart else whole

    return [_BROKEN.sub(mend, page) for page in pages]
