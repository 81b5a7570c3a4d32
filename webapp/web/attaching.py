"""Files that a form sent, on their way to a thread or a project."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from os import SEEK_END

from flask import request
from werkzeug.datastructures import FileStorage

from webapp.documents.names import safe_name
from webapp.documents.parsing.choosing import refuse_by_size
from webapp.documents.parsing.limits import MB
from webapp.documents.scope import Scope
from webapp.documents.uploads import Duplicate
from webapp.errors import BadInput, StrataError
from webapp.web.services import services

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
    form, with `beside` bytes for its other fields, is a 413."""
    if request.mimetype != "multipart/form-data":
        return []
    largest = services().settings.max_file_mb * MB
    request.max_content_length = LARGEST_POST_FILES * largest + beside
    request.max_form_memory_size = beside
    return [each for each in request.files.getlist("files") if each.filename]


def chosen_files(beside: int = MB) -> list[FileStorage]:
    """The same. BadInput without any."""
    posted = posted_files(beside)
    if not posted:
        raise BadInput("No file was chosen.", do="Choose one or more files, then attach them.")
    return posted


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
                added = services().documents.add(scope, _name(each), stream, size)
        except StrataError as error:
            told.append(_not_attached(each, error))
            refused = True
        else:
            told += [added.sentence] if isinstance(added, Duplicate) else []
            stored += not isinstance(added, Duplicate)
    return Taken(tuple(told), refused, stored)


def _name(file: FileStorage) -> str:
    return safe_name(file.filename or "")


def _size(file: FileStorage) -> int:
    size = file.stream.seek(0, SEEK_END)
    file.stream.seek(0)
    return size


def _not_attached(file: FileStorage, error: StrataError) -> str:
    return f"“{_name(file)}” was not attached. {error}"
