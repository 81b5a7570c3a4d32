"""Files that a form sent, on their way to a thread or a project."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from os import SEEK_END

from flask import request
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import RequestEntityTooLarge

from webapp.documents.names import safe_name
from webapp.documents.parsing.choosing import refuse_by_size
from webapp.documents.parsing.limits import MB
from webapp.documents.scope import Scope
from webapp.documents.uploads import Duplicate
from webapp.errors import BadInput, Conflict, StrataError
from webapp.web.access import owner_id
from webapp.web.services import services

MOST_FILES = 200
LARGEST_POST_FILES = 10  # as many of the largest size go into one form


@dataclass(frozen=True)
class Taken:
    """`told` has a sentence for each file that is not new; `refused` when one was not stored for
    what it is or for what the disk said, `stored` how many were."""

    told: tuple[str, ...] = ()
    refused: bool = False
    stored: int = 0

    def after(self, other: Taken) -> Taken:
        """Both together, what `other` tells first."""
        told = (*other.told, *self.told)
        return Taken(told, self.refused or other.refused, self.stored + other.stored)


def posted_files(beside: int = MB) -> list[FileStorage]:
    """Those of the field `files`; none when the form cannot carry any. More than fits into one
    form, with `beside` bytes for its other fields, is a 413, and TooOften is raised for who sends
    much, both before anything is read."""
    posted = _posted(beside)
    if posted:
        services().household.take_upload(owner_id())
    return posted


def chosen_files(beside: int = MB) -> list[FileStorage]:
    """The same, for a form that is there for files alone: too many of those are refused before
    they are read too. BadInput without any."""
    services().household.take_upload(owner_id())
    posted = _posted(beside)
    if not posted:
        raise BadInput("No file was chosen.", do="Choose one or more files, then attach them.")
    return posted


def _posted(beside: int) -> list[FileStorage]:
    if request.mimetype != "multipart/form-data":
        return []
    at_most = LARGEST_POST_FILES * services().settings.max_file_mb * MB + beside
    size = request.content_length or at_most
    if size > at_most:
        raise RequestEntityTooLarge
    services().household.take_bytes(owner_id(), size)
    request.max_content_length = at_most
    request.max_form_memory_size = beside
    return [each for each in request.files.getlist("files") if each.filename]


def fitting(files: Iterable[FileStorage]) -> tuple[list[FileStorage], Taken]:
    """Those that are not too large, and what is to be said of the others."""
    most = services().settings.max_file_mb * MB
    fit, told = [], []
    for each in files:
        try:
            refuse_by_size(_size(each) or 1, most)
        except StrataError as error:
            told.append(_not_attached(each, error))
        else:
            fit.append(each)
    return fit, Taken(tuple(told), bool(told))


def taken(scope: Scope, files: Iterable[FileStorage]) -> Taken:
    """Each that can be is stored, whatever becomes of the others."""
    told, refused, stored = [], False, 0
    for each in files:
        try:
            with closing(each.stream) as stream:
                size = _size(each)
                _refuse_full(scope)
                added = services().documents.add(scope, _name(each), stream, size)
        except StrataError as error:
            told.append(_not_attached(each, error))
            refused = True
        else:
            told += [added.sentence] if isinstance(added, Duplicate) else []
            stored += not isinstance(added, Duplicate)
    return Taken(tuple(told), refused, stored)


def _refuse_full(scope: Scope) -> None:
    """Where several people share, one thread does not fill the disk. Raises Conflict."""
    if services().household.shared and len(services().documents.status(scope)) >= MOST_FILES:
        raise Conflict(f"There are {MOST_FILES} files here already.", do="Delete some first.")


def _name(file: FileStorage) -> str:
    return safe_name(file.filename or "")


def _size(file: FileStorage) -> int:
    size = file.stream.seek(0, SEEK_END)
    file.stream.seek(0)
    return size


def _not_attached(file: FileStorage, error: StrataError) -> str:
    return f"“{_name(file)}” was not attached. {error}"
