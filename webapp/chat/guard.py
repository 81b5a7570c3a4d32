"""No request without a genuine question: templates answer one with an error nobody understands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webapp.chat.arrangement import Arrangement
from webapp.chat.facts import Facts
from webapp.chat.reach import is_question
from webapp.errors import BadInput


def refusal(facts: Sequence[Facts], found: Arrangement) -> BadInput | None:
    """Why nothing can be sent, with what to do; None when there is something to answer."""
    unseen = list(_unseen(facts))
    if any(each.muted for each in unseen):
        return BadInput(
            "The question is muted, so the model would not see it.", do="Unmute it and ask again."
        )
    members = (each for group in found.groups for each in group.members)
    if any(is_question(each) for each in members):
        # An earlier question would be answered in its place.
        return _wordless() if unseen else None
    if any(is_question(each) for each in facts):
        return BadInput(
            "The window has no room for a question any more.",
            do="Choose a larger window, shorten the instructions, or unpin messages.",
        )
    return BadInput("There is no question left to answer.", do="Write one and send it.")


def _wordless() -> BadInput:
    return BadInput(
        "The question has no words that the model could read.", do="Edit it and add some."
    )


def _unseen(facts: Sequence[Facts]) -> Iterator[Facts]:
    """Questions at the end of the path that the model would not see."""
    for each in reversed(facts):
        if each.live:
            return
        if each.role == "user":
            yield each
