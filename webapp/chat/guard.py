"""No request without a genuine question: templates answer one with an error nobody understands."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.chat.arrangement import Arrangement
from webapp.chat.facts import Facts
from webapp.chat.reach import is_question
from webapp.errors import BadInput


def refusal(facts: Sequence[Facts], found: Arrangement) -> BadInput | None:
    """Why nothing can be sent, with what to do; None when there is something to answer."""
    newest = next(
        (each for each in reversed(facts) if each.role == "user" and (each.live or each.muted)),
        None,
    )
    if newest is not None and newest.muted and _ends_with(facts, newest):
        return BadInput(
            "The question is muted, so the model would not see it.", do="Unmute it and ask again."
        )
    members = (each for group in found.groups for each in group.members)
    if any(is_question(each) for each in members):
        return None
    if any(is_question(each) for each in facts):
        return BadInput(
            "The window has no room for a question any more.",
            do="Choose a larger window, shorten the instructions, or unpin messages.",
        )
    return BadInput("There is no question left to answer.", do="Write one and send it.")


def _ends_with(facts: Sequence[Facts], question: Facts) -> bool:
    """Whether nothing that is sent comes after it."""
    for each in reversed(facts):
        if each is question:
            return True
        if each.live:
            return False
    return False
