"""A data directory in which much was lived: what an archive must not lose."""

import io

from webapp.chat.messages import new_message, new_thread
from webapp.chat.summary import Line, Summary, kept_summary
from webapp.documents.file_facts import FileFacts

MOMENT = 1_767_225_600_000
LEASE = b"The notice period is three months.\nThe rent is due on the first day.\n"


def line(id, role, parent, at, text="", **facts):
    """A message of thread `lived`."""
    data = {key: facts.pop(key) for key in ("tool_calls", "tool_call_id") if key in facts}
    status = facts.pop("status", "ready")
    message = new_message(
        id=id,
        thread_id="lived",
        role=role,
        text=text or f"Words of {id}",
        created_at=MOMENT + at,
        status=status,
        metadata={"parentId": parent, **facts},
    )
    return message.with_fields(**data) if data else message


def lived(id="lived", **metadata):
    """A thread with versions, pointers, a pin, a mute, a star, notes, calls, sources, a file."""
    summary = kept_summary(
        Summary((Line("Three months", ("q1",)),), (("q1", "a1"),), 1, "scripted")
    )
    passage = {"id": "f1-0", "file_id": "f1", "file": "lease.txt", "text": "three months"}
    call = {"id": "call_1", "type": "function", "function": {"name": "retrieve", "arguments": "{}"}}
    messages = [
        line("q1", "user", None, 1, activeChildId="a1", pinned=True),
        line("a1", "assistant", "q1", 2, usage={"model": "m", "passages": [passage]}, **summary),
        line("a2", "assistant", "q1", 3, starred=True, name="Longer", status="stopped"),
        line("q2", "user", "a1", 4, muted=True),
        line("t1", "assistant", "q2", 5, tool_calls=[call]),
        line("t2", "tool", "t1", 6, '{"results": []}', tool_call_id="call_1"),
        line("q3", "user", None, 7, "Another beginning \ud800"),
    ]
    thread = new_thread(id=id, title="The lease: 1/2", created=MOMENT / 1000)
    fields = {"activeRootId": "q1", "titledBy": "person", "window": {"auto_compact": "off"}}
    thread = thread.with_metadata({**fields, **metadata})
    return thread, [each.with_fields(thread_id=id) for each in messages]


def put_file(scope, id="f1", name="lease.txt", data=LEASE):
    """A file as an upload leaves it before it is read."""
    from webapp.documents import files  # noqa: PLC0415

    files.make_room(scope, id)
    arrived = files.receive(scope, id, io.BytesIO(data), 1 << 30, lambda done: None)
    facts = FileFacts(id, name, arrived.size, arrived.sha256, MOMENT)
    files.keep(scope, facts)
    return facts
