"""What comes from elsewhere is brought in: looked at only, or stored.

A thread is stored whole or not at all, its files before it is listed; a project is marked until its
files are there. One that cannot come stops no other. What came before does not come again, however
often it is tried. It belongs to who brings it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from webapp.archives.come import (
    AssistantCome,
    Come,
    DamagedCome,
    FileCome,
    ProjectCome,
    Source,
    ThreadCome,
    stable_id,
)
from webapp.archives.placing import project_spots, thread_spots
from webapp.archives.whose import Whose
from webapp.chat.authors import unsigned
from webapp.chat.messages import Message, Thread, is_id
from webapp.documents.carried import carry_in, take_back
from webapp.documents.files import load as stored_files
from webapp.documents.parsing.choosing import refuse_by_size
from webapp.documents.scope import Scope, project_scope, thread_scope
from webapp.errors import BadInput, StorageFailed, StrataError
from webapp.threads.assistants import Assistants
from webapp.threads.library import ThreadLibrary
from webapp.threads.ownership import OWNER, SHARES, owned
from webapp.threads.projects import ARRIVING, LINK, Project, Projects, project_id_of

MOST_TOLD: Final = 1000


@dataclass(frozen=True)
class Rooms:
    """Where things are stored. `returned` is told of files that lie in their place now."""

    library: ThreadLibrary
    projects: Projects
    assistants: Assistants
    data: Path
    most_file_bytes: int
    returned: Callable[[Scope], None] = lambda _: None


@dataclass
class Outcome:
    """What came, or would come. `known` were here before; what was added since to `continued` of
    them comes too. `trashed` are in the trash, `lost` could not come: `damaged` are sentences about
    those, `notes` about what came in part."""

    program: str
    total: int = 0
    threads: int = 0
    messages: int = 0
    files: int = 0
    projects: int = 0
    assistants: int = 0
    known: int = 0
    continued: int = 0
    trashed: int = 0
    lost: int = 0
    damaged: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def looked_at(self) -> int:
        return self.threads + self.known + self.trashed + self.lost

    @property
    def is_anything(self) -> bool:
        return bool(self.threads or self.continued or self.projects or self.assistants)


class Bringing:
    """Of one source, once, by one person. `heard` is told how far it is."""

    def __init__(
        self, rooms: Rooms, whose: Whose, *, dry: bool, heard: Callable[[Outcome], None]
    ) -> None:
        self._rooms = rooms
        self._whose = whose
        self._dry = dry
        self._heard = heard
        self._came: set[str] = set()
        rows = rooms.library.threads()
        self._threads = thread_spots(whose, rows, rooms.library.trash())
        there = rooms.projects.all()
        self._projects = project_spots(whose, there)
        found = [row for row in there if isinstance(row, Project)]
        self._arriving = {row.id for row in found if ARRIVING in row.data}
        self._links = {row.id: row.id for row in found if whose.may_write(row.data)}

    def run(self, source: Source) -> Outcome:
        """Raises StorageFailed when nothing more can be saved: what came until then is here."""
        outcome = Outcome(source.program, source.total)
        self._heard(outcome)
        for come in _until_broken(source, outcome):
            try:
                self._take(come, outcome)
            except StorageFailed:
                raise
            except StrataError as error:
                outcome.lost += 1
                _add(outcome.damaged, f"{_name(come)}: {error}")
            self._heard(outcome)
        return outcome

    # --- inside ---

    def _take(self, come: Come, outcome: Outcome) -> None:
        match come:
            case ThreadCome():
                self._thread(come, outcome)
            case ProjectCome():
                self._project(come, outcome)
            case AssistantCome():
                self._assistant(come, outcome)
            case DamagedCome():
                raise BadInput(come.why)

    def _thread(self, come: ThreadCome, outcome: Outcome) -> None:
        spot = self._threads.find(come.thread.id)
        if spot.standing == "here":
            outcome.known += 1
            self._go_on(come, spot.id, outcome)
            return
        if spot.standing == "trashed":
            outcome.trashed += 1
            return
        thread = self._linked(come.thread.with_fields(id=spot.id))
        scope = thread_scope(self._rooms.data, spot.id)
        notes = [f"{_name(come)}: {note}" for note in come.notes]
        count = self._carried(scope, come.files, _name(come), notes)
        if not self._dry:
            self._store(thread, come, scope)
        self._threads.took(spot.id)
        self._came.add(spot.id)
        outcome.threads += 1
        outcome.messages += len(come.messages)
        outcome.files += count
        for note in notes:
            _add(outcome.notes, note)

    def _go_on(self, come: ThreadCome, id: str, outcome: Outcome) -> None:
        """It came before; what was added there since comes too, as long as it is as it came."""
        if id in self._came:
            return
        thread = come.thread.with_fields(id=id)
        messages = _within(id, come.messages)
        go_on = partial(self._rooms.library.acts.go_on, thread, messages)
        more = go_on(dry=True)
        if not more:
            return
        scope = thread_scope(self._rooms.data, id)
        new = _not_in(scope, come.files)
        notes: list[str] = []
        count = self._carried(scope, new, _name(come), notes)
        if not self._dry:
            with _or_without(scope, new):
                more = go_on(dry=False)
        outcome.continued += 1
        outcome.messages += more
        outcome.files += count
        for note in notes:
            _add(outcome.notes, note)
        self._tell_returned(scope, new)

    def _store(self, thread: Thread, come: ThreadCome, scope: Scope) -> None:
        with _or_without(scope, come.files):
            self._rooms.library.acts.take_in(thread, _within(thread.id, come.messages))
        self._tell_returned(scope, come.files)

    def _tell_returned(self, scope: Scope, files: Sequence[FileCome]) -> None:
        if files and not self._dry:
            with suppress(StrataError):  # whoever looks at the files will be told
                self._rooms.returned(scope)

    def _linked(self, thread: Thread) -> Thread:
        """Its own, in a project only where who brings it may put it."""
        link = self._links.get(project_id_of(thread) or "")
        thread = thread.without_metadata(OWNER, SHARES, LINK)
        project = {LINK: {"id": link}} if link else {}
        return thread.with_metadata({**project, **owned(self._whose.id)})

    def _project(self, come: ProjectCome, outcome: Outcome) -> None:
        given = str(come.fields.get("id", ""))
        spot = self._projects.find(given if is_id(given) else stable_id("project", given))
        self._links[given] = spot.id
        if spot.standing == "here" and spot.id not in self._arriving:
            return
        name = Project(come.fields).name
        scope = project_scope(self._rooms.data, spot.id)
        if spot.standing == "free" and not self._dry:
            self._rooms.projects.take_in(spot.id, come.fields, owner=self._whose.id)
        self._projects.took(spot.id)
        outcome.projects += 1
        notes = [f"{name}: {note}" for note in come.notes]
        new = _not_in(scope, come.files)
        outcome.files += self._carried(scope, new, name, notes)
        if not self._dry:
            self._rooms.projects.has_arrived(spot.id)
        self._arriving.discard(spot.id)
        for note in notes:
            _add(outcome.notes, note)
        self._tell_returned(scope, new)

    def _assistant(self, come: AssistantCome, outcome: Outcome) -> None:
        if not self._whose.is_owner:
            _add(outcome.notes, f"The assistant {_name(come)}: only the owner can import it.")
        elif self._dry:
            outcome.assistants += self._rooms.assistants.is_free(come.id)
        else:
            outcome.assistants += self._rooms.assistants.take_in(come.id, come.fields)

    def _carried(self, scope: Scope, files: Iterable[FileCome], name: str, notes: list[str]) -> int:
        """How many came along; what did not is noted. Raises StorageFailed with none there."""
        came: list[str] = []
        for each in files:
            try:
                self._carry(scope, each)
                came.append(each.facts.id)
            except StorageFailed:
                if scope.kind == "thread":
                    take_back(scope, came)
                raise
            except StrataError as error:
                notes.append(f"{name}: the file “{each.facts.name}” was left out. {error}")
        return len(came)

    def _carry(self, scope: Scope, file: FileCome) -> None:
        most = self._rooms.most_file_bytes
        if self._dry:
            refuse_by_size(file.size or 1, most)
            return
        with file.open() as stream:
            carry_in(scope, file.facts, stream, file.size, most)


def _not_in(scope: Scope, files: Iterable[FileCome]) -> list[FileCome]:
    """Those that are not there whole."""
    there = {each.id for each in stored_files(scope) if each.stage != "damaged"}
    return [each for each in files if each.facts.id not in there]


@contextmanager
def _or_without(scope: Scope, files: Iterable[FileCome]) -> Iterator[None]:
    """What they came with is stored, or they go again."""
    try:
        yield
    except StrataError:
        take_back(scope, (each.facts.id for each in files))
        raise


def _until_broken(source: Source, outcome: Outcome) -> Iterator[Come]:
    try:
        yield from source.read()
    except BadInput as error:
        outcome.lost += 1
        _add(outcome.damaged, f"The rest could not be read. {error}")


def _within(id: str, messages: Iterable[Message]) -> list[Message]:
    """They know which thread they are in, and put words into nobody's mouth."""
    return [
        each if each.data.get("thread_id") == id else each.with_fields(thread_id=id)
        for each in map(unsigned, messages)
    ]


def _name(come: Come) -> str:
    match come:
        case ThreadCome():
            return come.thread.title or come.thread.id
        case ProjectCome():
            return Project(come.fields).name
        case AssistantCome():
            return str(come.fields.get("name") or come.id)
        case DamagedCome():
            return come.name


def _add(sentences: list[str], sentence: str) -> None:
    """A file full of rubbish is no reason to hold it all in memory."""
    if len(sentences) < MOST_TOLD:
        sentences.append(sentence[:500])
    elif len(sentences) == MOST_TOLD:
        sentences.append("… and more.")
