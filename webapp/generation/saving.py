"""What of an answer is on disk, also when the disk refuses: it is tried again until it is."""

from __future__ import annotations

import logging
from collections.abc import Callable

from webapp.errors import StorageFailed, StrataError
from webapp.generation.line import Line, Run
from webapp.generation.turn import Save
from webapp.threads.library import ThreadLibrary

log = logging.getLogger(__name__)


class AnswerSaving:
    """Who calls holds the run's lock. `model` gives the name that an answer is signed with."""

    def __init__(self, library: ThreadLibrary, line: Line, model: Callable[[], str]) -> None:
        self._library = library
        self._line = line
        self._model = model

    def checkpoint(self, run: Run, text: str) -> None:
        """Write these further words (flushed)."""
        try:
            self._library.extend_answer(run.live.thread_id, run.answer.id, text)
        except StrataError as error:
            # The whole text is written again at the end, so a lost checkpoint loses nothing yet.
            log.warning("checkpoint of %s failed: %s", run.answer.id, error)
            run.live.show("writing", f"Not saved yet: {error}")

    def save(self, run: Run, save: Save) -> None:
        """Write the whole answer (durable); then its readers see that it is over."""
        try:
            self._write(run, save)
        except StorageFailed as error:
            run.unsaved = save
            run.live.show("writing", f"Not saved yet, Strata keeps trying. {error}")
            return
        except StrataError as error:
            log.warning("the answer %s has no place any more: %s", run.answer.id, error)
            run.live.show("error", str(error))
        else:
            run.live.show(save.phase, save.error)
        run.unsaved = None
        self._line.leave(run)

    def retry(self, run: Run) -> None:
        """Save what could not be saved before, if anything."""
        if run.unsaved is not None:
            self.save(run, run.unsaved)

    def _write(self, run: Run, save: Save) -> None:
        self._library.finish_answer(
            run.live.thread_id,
            run.answer.id,
            text=save.text,
            status=save.phase,
            error=save.error,
            usage={**save.usage, "model": self._model(), **run.record},
        )
        if save.phase == "error" and not save.text[len(run.begun) :].strip():
            self._show_good(run)

    def _show_good(self, run: Run) -> None:
        """A version that failed without a word does not stand in the way of a good one."""
        thread_id = run.live.thread_id
        if run.good and self._library.shown(thread_id, run.answer.id).last:
            self._library.switch(thread_id, run.good)
