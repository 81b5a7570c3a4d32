"""Bringing in threads: a file is sent and looked at, and comes in once its person has seen what
would come. Threads of Jan also come from its folder on this machine."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

from flask import Blueprint, Response, request, url_for
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.formparser import FormDataParser

from webapp.archives.bringing import Rooms
from webapp.archives.whose import Whose
from webapp.documents.names import safe_name
from webapp.documents.parsing.limits import MB
from webapp.errors import BadInput
from webapp.threads.jan import place_in
from webapp.web.access import current_member, owner_id
from webapp.web.rendering import done, fragment, page
from webapp.web.services import services

bp = Blueprint("importing", __name__)

LARGEST_IMPORT = 16_000 * MB

# Where Jan keeps its data on each system, below the folder of settings or of the person.
JAN_FOLDERS = (
    ("APPDATA", "Jan/data"),
    ("XDG_CONFIG_HOME", "Jan/data"),
    ("HOME", ".config/Jan/data"),
    ("HOME", "Library/Application Support/Jan/data"),
    ("HOME", "jan"),
)


@bp.get("/import")
def show() -> Response:
    now = services().imports.now(owner_id())
    return page("import", now=now, folder=str(jan_folder() or ""))


@bp.get("/import/state")
def state() -> str:
    return fragment("import_state", now=services().imports.now(owner_id()))


@bp.post("/import/file")
def send() -> Response:
    """The file of the field `file`, straight to where it is looked at."""
    household, size = services().household, request.content_length or 0
    household.take_upload(owner_id())
    if size > LARGEST_IMPORT:
        raise RequestEntityTooLarge
    household.take_bytes(owner_id(), size)
    request.max_content_length = LARGEST_IMPORT
    imports = services().imports
    with imports.room() as path:
        name = _received(path)
        imports.look(owner_id(), name, path, _rooms(), _whose())
    return done(url_for("importing.show"))


@bp.post("/import/bring")
def bring() -> Response:
    services().imports.bring(owner_id(), _rooms(), _whose())
    return done(url_for("importing.show"), state)


@bp.post("/import/drop")
def drop() -> Response:
    services().imports.drop(owner_id())
    return done(url_for("importing.show"))


@bp.post("/import")
def look_into() -> Response:
    """The folder of Jan named in the field `folder`, which is one of this machine."""
    wanted = request.form.get("folder", "").strip()
    if not wanted or "\0" in wanted:
        raise BadInput("No folder was named.", do="Type where Jan keeps its data.")
    folder = Path(wanted).expanduser()
    place_in(folder)
    services().imports.look_into(owner_id(), folder, _rooms(), _whose())
    return done(url_for("importing.show"))


def jan_folder() -> Path | None:
    """Where Jan's threads are on this machine, if they are in a usual place."""
    places = [Path(os.environ[name]) / rest for name, rest in JAN_FOLDERS if os.environ.get(name)]
    return next((place for place in places if (place / "threads").is_dir()), None)


# --- inside ---


def _received(path: Path) -> str:
    """The file's own name. It is written as it comes, and nowhere else. Raises BadInput without
    one."""
    with ExitStack() as opened:
        parser = FormDataParser(
            stream_factory=lambda *_, **__: opened.enter_context(path.open("w+b")),
            max_form_memory_size=MB,
            max_content_length=LARGEST_IMPORT,
            max_form_parts=4,
        )
        length, options = request.content_length, request.mimetype_params
        _, _, files = parser.parse(request.stream, request.mimetype, length, options)
    found = files.get("file") if len(files) == 1 else None
    if found is None or not found.filename:
        raise BadInput("No file was chosen.", do="Choose one, then see what is in it.")
    return safe_name(found.filename)


def _rooms() -> Rooms:
    rooms = services()
    most = rooms.settings.max_file_mb * MB
    where = (rooms.library, rooms.projects, rooms.assistants, rooms.settings.data)
    return Rooms(*where, most, rooms.documents.returned)


def _whose() -> Whose:
    member = current_member()
    if member is None or member.alone:
        return Whose()
    people = services().household.register.roll().people
    return Whose(member.id, member.is_owner, frozenset(each.id for each in people))
