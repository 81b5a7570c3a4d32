"""Names of files in what is taken along: from titles, fit for every system, each used once."""

from __future__ import annotations

from typing import Final

from webapp.documents.names import safe_name, unused

_UNFIT: Final = str.maketrans(dict.fromkeys('/\\:*?"<>|', "-"))  # for names on some systems


def named_after(title: str, suffix: str) -> str:
    """`title` as the name of a file; “Untitled” for none."""
    return safe_name(f"{title.translate(_UNFIT).strip(' -') or 'Untitled'}{suffix}")


class Taken:
    """The names of one folder. Systems that tell no case apart would put two files in one."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.casefold() in self._known

    def own(self, name: str) -> str:
        """`name`, or one like it that nobody has; from now on it is taken."""
        found = unused(name, self)
        self._known.add(found.casefold())
        return found
