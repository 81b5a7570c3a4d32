"""What this program itself took along as JSON: a thread, or a zip of everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from webapp.archives import thread_json
from webapp.archives.as_json import FORMAT, MANIFEST, PROJECT_FORMAT, VERSION
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
from webapp.archives.json_text import items, loaded
from webapp.archives.loose import mapping, words
from webapp.archives.safe_zip import SafeZip
from webapp.archives.stock import of_nobody
from webapp.chat.assistant_migrations import CURRENT, migrated
from webapp.chat.messages import Message, Thread, is_id
from webapp.documents.file_facts import from_json
from webapp.errors import BadInput
from webapp.threads.about import title_in
from webapp.threads.findings import counted

PROGRAM: Final = "Strata"
_NEWER: Final = "It was made by a newer Strata."


def is_one(value: Mapping[str, Any]) -> bool:
    return value.get("format") == thread_json.FORMAT


def thread_of(value: Mapping[str, Any], files: Mapping[str, FileCome] | None = None) -> ThreadCome:
    """`files` are those that lie beside it, by their ids. Raises BadInput."""
    if value.get("version") != thread_json.VERSION:
        raise BadInput(_NEWER)
    fields = value.get("thread")
    if not isinstance(fields, Mapping) or not words(fields.get("id")):
        raise BadInput("It does not say which thread it is.")
    messages, notes = _messages(value.get("messages"))
    given = words(fields["id"])
    metadata = of_nobody(mapping(fields.get("metadata")))
    id = stable_id(given) if is_id(given) else stable_id(PROGRAM, given)
    thread = Thread({**of_nobody(fields), "id": id, "metadata": metadata})
    found, missing = _described(value.get("files"), files or {})
    return ThreadCome(thread, messages, found, (*notes, *missing))


def source_of(archive: SafeZip) -> Source:
    """A zip of everything. Raises BadInput for one that this Strata cannot read."""
    manifest = mapping(_one(archive, MANIFEST))
    if manifest.get("format") != FORMAT:
        raise BadInput("This zip does not say what it is.", "Choose one that Strata made.")
    if manifest.get("version") != VERSION:
        raise BadInput(f"This zip cannot be read. {_NEWER}", "Update this one first.")
    was = manifest.get("assistants_version")
    places = _Places(archive)
    total = len(places.of("threads"))
    read = partial(_everything, places, was if type(was) is int else CURRENT)
    return Source(PROGRAM, read, total)


# --- inside ---


class _Places:
    """What lies where in the zip."""

    def __init__(self, archive: SafeZip) -> None:
        self.archive = archive
        self._files: dict[str, dict[str, str]] = {}
        self._things: dict[str, list[str]] = {}
        for name in archive.names:
            parts = name.split("/")
            if parts[0] == "files" and len(parts) == 5 and is_id(parts[3]):
                self._files.setdefault("/".join(parts[1:3]), {})[parts[3]] = name
            elif len(parts) == 2 and parts[1].endswith(".json"):
                self._things.setdefault(parts[0], []).append(name)

    def of(self, kind: str) -> Sequence[str]:
        return self._things.get(kind, [])

    def files(self, name: str) -> dict[str, FileCome]:
        """Those that lie beside `<kind>/<id>.json`, by their ids."""
        found = self._files.get(name.removesuffix(".json"), {})
        return {id: self._file(id, place) for id, place in found.items()}

    def _file(self, id: str, place: str) -> FileCome:
        facts = from_json(id, {"name": place.rpartition("/")[2]})
        return FileCome(facts, self.archive.size(place), partial(self.archive.open, place))


def _everything(places: _Places, was: int) -> Iterator[Come]:
    for kind, come in (("assistants", partial(_assistant, was)), ("projects", _project)):
        for name in places.of(kind):
            yield _read(places, name, come)
    for name in places.of("threads"):
        yield _read(places, name, _thread)


def _read(places: _Places, name: str, come: Any) -> Come:
    try:
        found: Come = come(places, name, mapping(_one(places.archive, name)))
    except BadInput as error:
        return DamagedCome(_known_as(places.archive, name), str(error))
    return found


def _one(archive: SafeZip, name: str) -> Any:
    """Raises BadInput."""
    with archive.open(name) as stream:
        for item in items(stream):
            if item.trouble:
                raise BadInput(item.trouble)
            return loaded(item.data)
    raise BadInput("There is nothing in it.")


def _known_as(archive: SafeZip, name: str) -> str:
    """Its title, if that can be found."""
    try:
        with archive.open(name) as stream:
            return title_in(stream.read(1 << 16)) or name
    except BadInput:
        return name


def _thread(places: _Places, name: str, value: Mapping[str, Any]) -> Come:
    if not is_one(value):
        raise BadInput("It is not a thread of Strata's.")
    return thread_of(value, places.files(name))


def _project(places: _Places, name: str, value: Mapping[str, Any]) -> Come:
    if value.get("format") != PROJECT_FORMAT or not isinstance(value.get("project"), Mapping):
        raise BadInput("It is not a project of Strata's.")
    if value.get("version") != VERSION:
        raise BadInput(_NEWER)
    files, missing = _described(value.get("files"), places.files(name))
    return ProjectCome(of_nobody(value["project"]), files, missing)


def _assistant(was: int, _places: _Places, _name: str, value: Mapping[str, Any]) -> Come:
    id = words(value.get("id"))
    if not is_id(id):
        raise BadInput("It does not say which assistant it is.")
    return AssistantCome(id, migrated(value, was))


def _messages(found: object) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    if not isinstance(found, list):
        raise BadInput("Its messages are missing.")
    kept: dict[str, Message] = {}
    for each in found:
        fields = mapping(each)
        if words(fields.get("id")) and words(fields.get("role")):
            kept[fields["id"]] = Message(fields)
    lost = len(found) - len(kept)
    notes = (f"{counted(lost, 'message')} of it could not be read.",) if lost else ()
    return tuple(kept.values()), notes


def _described(
    told: object, there: Mapping[str, FileCome]
) -> tuple[tuple[FileCome, ...], tuple[str, ...]]:
    """The files that lie there, as they are told of; and which of those told of do not."""
    found: dict[str, FileCome] = {}
    missing = 0
    for each in told if isinstance(told, list) else ():
        about = mapping(each)
        id = words(about.get("id"))
        if id not in there:
            missing += 1
            continue
        try:
            found[id] = FileCome(from_json(id, about), there[id].size, there[id].open)
        except ValueError:
            found[id] = there[id]
    notes = (f"{counted(missing, 'file')} of it: not in what you imported.",) if missing else ()
    return tuple(found.values()), notes
