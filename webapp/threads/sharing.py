"""Sharing a thread: no act that is listed, so that who may only write cannot take it back."""

from __future__ import annotations

from collections.abc import Mapping

from webapp.chat.messages import Thread
from webapp.errors import Damaged
from webapp.threads.desk import Desk
from webapp.threads.ownership import SHARES, Right, shares_in


class Sharing:
    """With whom, stands in a thread's `metadata`."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def share(self, thread_id: str, shares: Mapping[str, Right]) -> Thread:
        """With these and nobody else. Durable. Raises NotFound, StorageFailed, or Damaged."""
        with self._desk.held(thread_id) as opened:
            if opened.damaged:
                raise Damaged(
                    "The fields of this thread are damaged.",
                    do="Mend its thread.json first, for example with `strata doctor --repair`.",
                )
            if shares_in(opened.thread.metadata) != shares:
                changed = opened.thread.with_metadata({SHARES: dict(shares)})
                self._desk.save_thread(opened, changed)
            return opened.thread
