"""From the shown path to what the model is sent: role hygiene, nothing else.

Errors, empty answers and thinking are never sent back. Neighbours with the same role are joined,
because chat templates demand that roles alternate.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from webapp.chat.inlined import block, inlined_files
from webapp.chat.messages import Message
from webapp.chat.thinking import spoken
from webapp.chat.tool_calls import result_of, tool_calls, written

Part = tuple[str, str]


def words(message: Message) -> str:
    """What of a message is sent: an answer without its thinking, anything else as it is."""
    return spoken(message.text) if message.role == "assistant" else message.text


def said(message: Message, answered: Container[str]) -> list[Part]:
    """What one message puts into a request: a question with its files, a result, an answer after
    its calls. A call is sent only with its result; `answered` holds the ids of calls whose
    results are sent as messages of their own."""
    if message.role == "assistant":
        return [part for part in _answered(message, answered) if part[1].strip()]
    if message.role == "tool" and result_of(message) not in answered:
        return []
    files = [block(file) for file in inlined_files(message)]
    content = "\n\n".join(filter(str.strip, [*files, words(message)]))
    return [(message.role, content)] if content or message.role == "tool" else []


def _answered(message: Message, answered: Container[str]) -> list[Part]:
    calls = tool_calls(message)
    inside = [(written(call), call.result) for call in calls if call.result is not None]
    before = [part for call, result in inside for part in (("assistant", call), ("tool", result))]
    apart = [written(call) for call in calls if call.result is None and call.id in answered]
    return [*before, ("assistant", "\n".join(filter(str.strip, [words(message), *apart])))]


def joined(pairs: Sequence[Part]) -> list[Part]:
    """Neighbours of one role made one part, an empty line between them."""
    out: list[Part] = []
    for role, content in pairs:
        if out and out[-1][0] == role:
            out[-1] = (role, f"{out[-1][1]}\n\n{content}")
        else:
            out.append((role, content))
    return out


def is_sendable(message: Message) -> bool:
    """False for what failed, is not finished, or has a role that no template knows."""
    if message.role not in ("user", "assistant", "system", "tool"):
        return False
    return message.role == "user" or message.status in ("ready", "stopped")
