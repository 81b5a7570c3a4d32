"""A thread to look at: versions, a pinned message, a file, numbers that open its passages.

Its words are in `sample.toml`; no model is asked for them, but its sentences are compared with the
file as those of any answer are.
"""

from __future__ import annotations

import io
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from webapp.chat.messages import Thread
from webapp.documents.service import Documents
from webapp.errors import StrataError
from webapp.generation.groundings import Groundings
from webapp.generation.sources import INLINED, whole_files
from webapp.threads.library import ThreadLibrary

SAMPLE: Final = "sample"
SIGNED: Final = "Strata (written beforehand)"
PATIENCE_SECONDS: Final = 20.0


class SampleThread:
    """Makes it, through the same calls as a person and a model would."""

    def __init__(
        self, library: ThreadLibrary, documents: Documents, groundings: Groundings | None
    ) -> None:
        self._library = library
        self._documents = documents
        self._groundings = groundings

    def made(self, owner: str) -> str:
        """The id of a new one. Comes back when its file is read, after `PATIENCE_SECONDS` at the
        latest: without passages there are no numbers. One that could not be made whole goes to
        the trash."""
        thread = self._library.create(words()["title"], owner=owner, facts={SAMPLE: True})
        try:
            with_file = self._attach(thread)
            for turn in words()["turns"]:
                self._say(thread.id, turn, with_file)
        except StrataError:
            with self._documents.leaving(self._documents.thread(thread.id)):
                self._library.delete(thread.id)
            raise
        return thread.id

    def _attach(self, thread: Thread) -> list[Mapping[str, Any]]:
        """What a question carries of a file that is sent whole; nothing if it could not be read."""
        scope, file = self._documents.thread(thread.id), words()["file"]
        text = file["text"].lstrip().encode()
        stored = self._documents.add(scope, file["name"], io.BytesIO(text), len(text))
        now = self._documents.wait_over(scope, PATIENCE_SECONDS)
        if not all(each.is_ready for each in now.files):
            return []
        id = stored.state.id
        return [{**each, "file_id": id} for each in self._documents.inlined(scope, [id])]

    def _say(
        self, thread_id: str, turn: Mapping[str, Any], with_file: Sequence[Mapping[str, Any]]
    ) -> None:
        question = self._library.ask(thread_id, turn["question"])
        if with_file and turn is words()["turns"][0]:
            self._library.marks.keep(thread_id, question.id, {INLINED: list(with_file)})
        if turn.get("pinned"):
            self._library.marks.pin(thread_id, question.id, on=True)
        given = [each.to_data() for each in whole_files(self._library.path(thread_id, question.id))]
        usage = {"model": SIGNED, "passages": given} if given else {"model": SIGNED}
        for text in turn["answers"]:
            answer = self._library.begin_answer(thread_id, question.id)
            self._library.finish_answer(
                thread_id, answer.id, text=text, status="ready", error="", usage=usage
            )
            if given and self._groundings is not None:
                self._groundings.later(thread_id, answer.id)


def is_sample(thread: Thread) -> bool:
    return thread.metadata.get(SAMPLE) is True


@cache
def words() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("sample.toml").read_text("utf-8"))
