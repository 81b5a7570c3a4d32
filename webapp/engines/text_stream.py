"""From a model's bytes to text: whole characters only, ending before a stop string.

Pure values of one answer each; no engine is known here.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence


class WholeCharacters:
    """Joins the bytes of tokens; a token may end in the middle of a character."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> str:
        """The characters complete by now. Bytes that can never become one turn into U+FFFD;
        a torn character at the very end of an answer is never given out."""
        return self._decoder.decode(data)


class StopStrings:
    """Passes text on, keeping back what may be the beginning of a stop string."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""
        self.stopped = False

    def feed(self, text: str) -> str:
        """The text that is certain; after the first stop string, which is left out, nothing."""
        if self.stopped:
            return ""
        whole = self._held + text
        found = [at for at in (whole.find(stop) for stop in self._stops) if at >= 0]
        if found:
            self.stopped, self._held = True, ""
            return whole[: min(found)]
        keep = self._beginning_of_a_stop(whole)
        self._held = whole[len(whole) - keep :]
        return whole[: len(whole) - keep]

    def end(self) -> str:
        """What was kept back, now that no more text comes."""
        rest, self._held = self._held, ""
        return rest

    def _beginning_of_a_stop(self, whole: str) -> int:
        longest = max((len(stop) for stop in self._stops), default=0)
        sizes = range(min(longest - 1, len(whole)), 0, -1)
        return next((n for n in sizes if any(s.startswith(whole[-n:]) for s in self._stops)), 0)
