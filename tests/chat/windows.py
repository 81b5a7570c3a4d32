"""Conversations for tests of the window."""

from webapp.chat.messages import Message, new_message


def message(id, role="user", text="words", *, status="ready", **metadata):
    return new_message(
        id=id, thread_id="t", role=role, text=text, created_at=0, status=status, metadata=metadata
    )


def talk(*lengths):
    """m0, m1, …: questions and answers in turn, of these lengths in characters."""
    roles = ("user", "assistant")
    return [
        message(f"m{at}", roles[at % 2], f"{at} ".ljust(length, "x"))
        for at, length in enumerate(lengths)
    ]


def call(id, *call_ids, text="", **metadata):
    """An answer that calls `retrieve`; results come in messages of their own."""
    calls = [{"id": each, "name": "retrieve", "arguments": '{"query": "rye"}'} for each in call_ids]
    return message(id, "assistant", text, **metadata).with_fields(tool_calls=calls)


def result(id, call_id, text="found", **metadata):
    return message(id, "tool", text, **metadata).with_fields(tool_call_id=call_id)


def patched(path, id, **metadata):
    return [each.with_metadata(metadata) if each.id == id else each for each in path]


def from_case(case):
    """Messages of a file in tests/data/budget."""
    return [
        Message({**each, "content": [{"type": "text", "text": {"value": each["text"]}}]})
        for each in case["messages"]
    ]
