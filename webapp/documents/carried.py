"""Files that come with their thread or project from elsewhere, under the ids they had there, so
that what cites them finds them. They are put in their place before anybody looks there, and read
anew when somebody does."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import suppress

from webapp.chat.messages import is_id
from webapp.documents import files
from webapp.documents.file_facts import FileFacts
from webapp.documents.files import Stream
from webapp.documents.names import safe_name, unused
from webapp.documents.parsing.choosing import refuse_by_size
from webapp.documents.scope import Scope
from webapp.errors import BadInput


def carry_in(scope: Scope, facts: FileFacts, stream: Stream, size: int, most: int) -> None:
    """Of `facts` only name, time and use count. What a try before left there goes. Unreadable for
    a file larger than `most`, StorageFailed: nothing of it is stored then."""
    if not is_id(facts.id):
        raise BadInput("It has no usable id.")
    refuse_by_size(size or 1, most)
    shutil.rmtree(scope.folder / facts.id, ignore_errors=True)
    files.discard(scope, facts.id)
    others = {each.name for each in files.load(scope)}
    name = unused(safe_name(facts.name), others)
    files.make_room(scope, facts.id)
    arrived = files.receive(scope, facts.id, stream, most, lambda _: None)
    come = FileFacts(facts.id, name, arrived.size, arrived.sha256, facts.added_ms, use=facts.use)
    files.keep(scope, come)


def take_back(scope: Scope, file_ids: Iterable[str]) -> None:
    """The files of a thread that did not come after all."""
    for each in file_ids:
        shutil.rmtree(scope.folder / each, ignore_errors=True)
    for folder in (scope.folder, scope.folder.parent):
        with suppress(OSError):
            folder.rmdir()
