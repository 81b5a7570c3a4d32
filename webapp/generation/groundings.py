"""After an answer from files: which passage stands behind each of its sentences, and whether its
quotes are there. Off the path of the answer; what comes out is kept with it.
"""

from __future__ import annotations

import hashlib
import logging
import queue
import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from webapp.chat.citations import kept_excerpts
from webapp.chat.closer import Pieces, closer
from webapp.chat.excerpts import Excerpt
from webapp.chat.grounding import Grounding, Mark, ground
from webapp.chat.markers import placed
from webapp.chat.messages import Message
from webapp.chat.quotes import found_in, quotes
from webapp.chat.sentences import Sentence, sentences
from webapp.chat.supporting import supporting_span
from webapp.chat.thinking import spoken
from webapp.documents.document import describe
from webapp.documents.passages import StoredPassage
from webapp.documents.retrieval import MOST_NEIGHBOURS
from webapp.documents.service import Compared, Documents
from webapp.errors import StrataError
from webapp.generation.line import Run
from webapp.generation.places import Places
from webapp.threads.library import ThreadLibrary

log = logging.getLogger(__name__)

GROUNDING: Final = "grounding"
VERSION: Final = 1
MOST_PASSAGES: Final = 200
MOST_SENTENCES: Final = 300
WHOLE: Final = "whole"  # how passages of a file that was sent whole were come by


class Groundings:
    """One answer after another, on a thread of its own; the engine does the answers of others
    between two of its batches."""

    def __init__(self, documents: Documents, library: ThreadLibrary, threshold: float) -> None:
        self._documents = documents
        self._library = library
        self.threshold = threshold
        self._waiting: queue.SimpleQueue[tuple[str, str] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="grounding", daemon=True)
        self._thread.start()

    def answered(self, run: Run) -> None:
        """An answer is over."""
        if run.live.snapshot().phase == "ready" and run.record.get("passages"):
            self.later(run.live.thread_id, run.answer.id)

    def later(self, thread_id: str, message_id: str) -> None:
        """The same as `again`, when those before it are done; the log says if it cannot be."""
        self._waiting.put((thread_id, message_id))

    def again(self, thread_id: str, message_id: str) -> Message:
        """Compare an answer with its passages now, and keep what comes out. An answer that files
        had no part in stays as it is. EngineFailed when there are no vectors."""
        message = self._library.message(thread_id, message_id)
        found = self._found(thread_id, message)
        if found is None:
            return message
        return self._library.marks.keep(thread_id, message_id, {GROUNDING: found})

    def close(self) -> None:
        """Idempotent. What is not begun is forgotten."""
        self._waiting.put(None)
        self._thread.join(timeout=2)

    def _work(self) -> None:
        while (asked := self._waiting.get()) is not None:
            try:
                self.again(*asked)
            except StrataError as error:
                log.warning("the answer %s was not compared with its files: %s", asked[1], error)
            except Exception:
                log.exception("the answer %s was not compared with its files", asked[1])

    def _found(self, thread_id: str, message: Message) -> dict[str, Any] | None:
        excerpts = list(islice(self._excerpts(thread_id, message), MOST_PASSAGES))
        if not excerpts:
            return None
        text = spoken(message.text)
        said = sentences(text)[:MOST_SENTENCES]
        words = [each.text for each in excerpts]
        scope, files = self._documents.thread(thread_id), [each.file_id for each in excerpts]
        got = self._documents.compared(scope, [each.text for each in said], words, files)
        grounding = ground(said, words, got.texts, got.passages, got.model.score, self.threshold)
        grounding = self._closer(grounding, said, got, words)
        return {
            "version": VERSION,
            "embedder": got.model.name,
            "threshold": self.threshold,
            "text_digest": digest(message.text),
            **_data(text, grounding, excerpts, Places(self._documents, thread_id)),
        }

    def _closer(
        self, grounding: Grounding, said: Sequence[Sentence], got: Compared, words: Sequence[str]
    ) -> Grounding:
        """What no passage is like as a whole may be like a sentence of one."""
        spans = {(each.start, each.end): (each, got.texts[n]) for n, each in enumerate(said)}
        pieces = Pieces(words)
        wanted = {span: pieces.like(spans[span][0].text) for span in grounding.unsupported}
        new = list(dict.fromkeys(piece for row in wanted.values() for piece in row))
        if not new:
            return grounding
        made = self._documents.vectors().of_passages([piece.text for piece in new])
        vectors = dict(zip(new, made.tolist(), strict=True))
        return closer(grounding, spans, wanted, vectors, got.model.score, self.threshold)

    def _excerpts(self, thread_id: str, message: Message) -> Iterator[Excerpt]:
        """Those with words in them."""
        for each in kept_excerpts(message):
            if each.whole:
                yield from self._of_file(thread_id, each)
            elif each.text.strip():
                yield each

    def _of_file(self, thread_id: str, file: Excerpt) -> Iterator[Excerpt]:
        """The passages of a file that was sent as a whole."""
        scope, first = self._documents.thread(thread_id), 0
        while True:
            last = first + MOST_NEIGHBOURS - 1
            try:
                rows = self._documents.chunks(scope, file.file_id, first, last)
            except StrataError as error:
                log.info("a file of %s cannot be compared: %s", thread_id, error)
                return
            yield from (_excerpt(row, file.file) for row in rows)
            if len(rows) < MOST_NEIGHBOURS:
                return
            first += MOST_NEIGHBOURS


def digest(text: str) -> str:
    """Of the whole text of an answer, to know whether it changed since."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _excerpt(row: StoredPassage, file: str) -> Excerpt:
    return Excerpt(
        id=row.id,
        file_id=row.file_id,
        file=file,
        place=describe(row.places),
        order=row.order,
        last_order=row.order,
        by=WHOLE,
        text=row.text,
        start=row.start,
        end=row.end,
    )


def _data(
    text: str, grounding: Grounding, excerpts: Sequence[Excerpt], places: Places
) -> dict[str, Any]:
    """Only passages that something points to are kept, those that the model was given first."""
    words = [each.text for each in excerpts]
    marks = placed(text, grounding.marks)
    claims = [(each, found_in(each, words)) for each in quotes(text)]
    given = [index for index, each in enumerate(excerpts) if each.by != WHOLE]
    pointed = [mark.passage for mark in marks]
    pointed += [index for _, index in claims if index is not None]
    used = list(dict.fromkeys([*given, *pointed]))
    new = {index: number for number, index in enumerate(used)}
    return {
        "passages": [{"n": n + 1, **excerpts[index].to_data()} for index, n in new.items()],
        "marks": [
            {"passage": new[mark.passage], **_mark(text, mark, excerpts[mark.passage], places)}
            for mark in marks
        ],
        "unsupported": [list(span) for span in grounding.unsupported],
        "quotes": [
            {
                "start": each.start,
                "end": each.end,
                "passage": None if index is None else new[index],
            }
            for each, index in claims
        ],
    }


def _mark(text: str, mark: Mark, excerpt: Excerpt, places: Places) -> dict[str, Any]:
    span = mark.part or supporting_span(text[slice(*mark.sentence)], excerpt.text)
    return {
        "at": mark.at,
        "sentence": list(mark.sentence),
        "score": round(mark.score, 4),
        "span": list(span),
        "place": places.of(excerpt, span),
    }
