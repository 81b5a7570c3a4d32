"""Under which id something comes in: its own, unless that is somebody else's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from webapp.archives.come import stable_id
from webapp.archives.whose import Whose
from webapp.chat.messages import Thread
from webapp.threads.projects import DamagedProject, Project
from webapp.threads.store import DamagedThread, TrashedThread

Standing = Literal["free", "here", "trashed"]


@dataclass(frozen=True)
class Spot:
    id: str
    standing: Standing


class Spots:
    """`own` are the ids of what is the importer's, in use or in the trash; `taken` are the ids of
    others, and of what cannot be read."""

    def __init__(self, person: str, own: dict[str, Standing], taken: Iterable[str]) -> None:
        self._person = person
        self._own = own
        self._taken = frozenset(taken) - own.keys()

    def find(self, wanted: str) -> Spot:
        """The same one each time for the same thing of the same person."""
        id, number = wanted, 1
        while id in self._taken:
            id, number = stable_id("again", self._person, wanted, str(number)), number + 1
        return Spot(id, self._own.get(id, "free"))

    def took(self, id: str) -> None:
        """From now on it is here."""
        self._own[id] = "here"


def thread_spots(
    whose: Whose, rows: Iterable[Thread | DamagedThread], trash: Iterable[TrashedThread]
) -> Spots:
    own: dict[str, Standing] = {}
    taken = []
    for trashed in trash:
        if whose.is_of(trashed.owner):
            own[trashed.id] = "trashed"
        else:
            taken.append(trashed.id)
    for row in rows:
        if isinstance(row, Thread) and whose.has(row.metadata):
            own[row.id] = "here"
        else:
            own.pop(row.id, None)
            taken.append(row.id)
    return Spots(whose.id, own, taken)


def project_spots(whose: Whose, rows: Iterable[Project | DamagedProject]) -> Spots:
    own: dict[str, Standing] = {}
    taken = []
    for row in rows:
        if isinstance(row, Project) and whose.has(row.data):
            own[row.id] = "here"
        else:
            taken.append(row.id)
    return Spots(whose.id, own, taken)
