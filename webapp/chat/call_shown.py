"""What is left to show of an answer when its calls are taken out of it."""

from __future__ import annotations


class Shown:
    """White space is kept back until it is known what follows: around a call the wider of both
    sides stays, before the first word and behind the last one none does. A text without calls
    comes out as it is."""

    def __init__(self) -> None:
        self._ready: list[str] = []
        self._space: list[str] = []
        self._before_cut = ""
        self._cut = False
        self._said = False

    def add(self, text: str) -> None:
        words = text.strip()
        if not words:
            self._space.append(text)
            return
        start = len(text) - len(text.lstrip())
        self._space.append(text[:start])
        self._ready += [self._gap(), words]
        self._space = [text[start + len(words) :]]
        self._said = True

    def cut(self) -> None:
        """A call stood here."""
        space = "".join(self._space)
        self._before_cut = wider(self._before_cut, space) if self._cut else space
        self._space, self._cut = [], True

    def taken(self) -> str:
        """What has become certain since it was asked for."""
        ready = "".join(self._ready)
        self._ready = []
        return ready

    def end(self) -> None:
        if not self._cut:
            self._ready += self._space
        self._space = []

    def _gap(self) -> str:
        space = "".join(self._space)
        if not self._cut:
            return space
        self._cut = False
        return wider(self._before_cut, space) if self._said else ""


def wider(one: str, other: str) -> str:
    """Of two stretches of white space the one that sets words further apart."""
    return max(one, other, key=lambda space: (space.count("\n"), len(space)))
