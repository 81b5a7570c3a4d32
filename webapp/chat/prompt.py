"""From the shown path to what the model is sent: role hygiene, nothing else.

Errors, empty answers and thinking are never sent back. Neighbours with the same role are joined,
because chat templates demand that roles alternate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webapp.chat.messages import Message
from webapp.chat.thinking import spoken

Part = tuple[str, str]


def parts(path: Iterable[Message], instructions: str = "") -> list[Part]:
    """(role, content) pairs in order, roles alternating, a system part first if there are
    instructions. Messages without words, failed ones and pending ones are left out."""
    said = [(message.role, words(message)) for message in path if _is_sent(message)]
    lead = [("system", instructions)] if instructions.strip() else []
    return [*lead, *joined([pair for pair in said if pair[1].strip()])]


def words(message: Message) -> str:
    """What of a message is sent: an answer without its thinking, anything else as it is."""
    return spoken(message.text) if message.role == "assistant" else message.text


def joined(pairs: Sequence[Part]) -> list[Part]:
    """Neighbours of one role made one part, an empty line between them."""
    out: list[Part] = []
    for role, content in pairs:
        if out and out[-1][0] == role:
            out[-1] = (role, f"{out[-1][1]}\n\n{content}")
        else:
            out.append((role, content))
    return out


def has_question(pairs: Sequence[Part]) -> bool:
    """Whether a genuine user question is left; without one there is nothing to answer."""
    return any(role == "user" and content.strip() for role, content in pairs)


def _is_sent(message: Message) -> bool:
    if message.role not in ("user", "assistant", "system"):
        return False
    return message.role == "user" or message.status in ("ready", "stopped")
