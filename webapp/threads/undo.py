"""How to put back what an act changed, when other things may have changed since. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from webapp.chat.messages import Message
from webapp.chat.records import Delete, Patch, Put, Record
from webapp.errors import Conflict, NotFound
from webapp.threads.replay import Replay

_POINTERS: Final = frozenset({"activeChildId"})
UNDID: Final = "Undid: "
REDID: Final = "Redid: "
_NOTHING: Final = object()


def inverse(act: Sequence[Record], before: Replay, after: Replay, now: Replay) -> list[Record]:
    """Records that put back, on top of `now`, what `act` made of `before`.

    A message that the act created goes with everything that hangs on it by now. Pointers that
    moved on since are left alone, unless pointers are all that the act changed. Raises Conflict
    when what the act changed has been changed again, or is back already."""
    pointers = frozenset() if all(isinstance(each, Patch) for each in act) else _POINTERS
    records: list[Record] = []
    created = []
    for message_id in dict.fromkeys(map(id_of, act)):
        was, became, is_now = (state.get(message_id) for state in (before, after, now))
        if is_now == was:
            continue
        if was is None and is_now is not None:
            created.append(_untouched(became, is_now))
        elif was is not None:
            records.append(Put(_restored(was, became, is_now, pointers)))
    records += [Delete(gone.id) for gone in _with_descendants(created, now)]
    if not records:
        raise changed_since()
    return records


def is_back(act: Iterable[Record], before: Replay, now: Replay) -> bool:
    """What the act changed is as it was before."""
    return all(before.get(each) == now.get(each) for each in map(id_of, act))


def was_made(before: Mapping[str, Any], after: Mapping[str, Any], then: Mapping[str, Any]) -> bool:
    """False for a change of fields that `then`, the state that came of it, knows nothing of."""
    try:
        return merged(before, after, then, leave=frozenset({"updated"})) != then
    except Conflict:
        return True


def merged(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    now: Mapping[str, Any],
    *,
    leave: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """`now` with every field that differs between `before` and `after` as it was before.

    Looks into `metadata` field by field. Raises Conflict for a field that has another value by
    now, unless it is one to `leave`."""
    states = (before, after, now)
    fields = _three_way([_without_metadata(each) for each in states], leave)
    metadata = _three_way([_metadata(each) for each in states], leave)
    if metadata or "metadata" in before:
        fields["metadata"] = metadata
    return fields


def rewound(
    now: Mapping[str, Any], changes: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> dict[str, Any]:
    """`now` before those changes, given as (before, after) and newest first.

    Never refuses: a field that something else set meanwhile is as it was before all the same."""
    fields = dict(now)
    for before, after in changes:
        states = (before, after, fields)
        metadata = _put_back([_metadata(each) for each in states])
        fields = _put_back([_without_metadata(each) for each in states])
        if metadata or "metadata" in now:
            fields["metadata"] = metadata
    return fields


def reordered(order: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """`wanted` ids that are not in `order`, each put behind the one it follows in `wanted`."""
    known = set(order)
    following: dict[str | None, list[str]] = {}
    previous = None
    for message_id in wanted:
        if message_id in known:
            previous = message_id
        else:
            following.setdefault(previous, []).append(message_id)
    result = following.get(None, [])
    for message_id in order:
        result += [message_id, *following.get(message_id, [])]
    return result


def changed_since() -> Conflict:
    """Why an act cannot be taken back."""
    return Conflict(
        "What this act changed has been changed again since, or is back already.",
        "Undo the later change first.",
    )


def unknown_change() -> NotFound:
    """There never was such an act, or it was too long ago."""
    return NotFound("That change is no longer listed.", "Changes are kept for 30 days.")


def named(what: str) -> str:
    """What the undoing of an act is called."""
    if what.startswith(UNDID):
        return REDID + what.removeprefix(UNDID)
    return UNDID + what.removeprefix(REDID)


def id_of(record: Record) -> str:
    return record.message.id if isinstance(record, Put) else record.message_id


def _untouched(became: Message | None, is_now: Message) -> Message:
    """A message the act created, if its words are still those; an answer may have grown."""
    streamed = became is not None and became.status == "pending"
    if became is not None and not streamed and became.text != is_now.text:
        raise changed_since()
    return is_now


def _restored(
    was: Message, became: Message | None, is_now: Message | None, pointers: frozenset[str]
) -> Message:
    if is_now == became:
        return was
    if is_now is None or became is None:
        raise changed_since()
    return Message(merged(was.data, became.data, is_now.data, leave=pointers))


def _with_descendants(created: Iterable[Message], now: Replay) -> list[Message]:
    waiting = list(created)
    children = _children(now) if waiting else {}
    gone: dict[str, Message] = {}
    while waiting:
        message = waiting.pop()
        if message.id not in gone:
            gone[message.id] = message
            waiting += children.get(message.id, [])
    if any(message.status == "pending" for message in gone.values()):
        raise Conflict("An answer to it is still being written.", "Stop it, then undo.")
    return list(gone.values())


def _children(now: Replay) -> dict[str, list[Message]]:
    children: dict[str, list[Message]] = {}
    for message in now.messages():
        if isinstance(message.parent_id, str):
            children.setdefault(message.parent_id, []).append(message)
    return children


def _three_way(states: Sequence[Mapping[str, Any]], leave: frozenset[str]) -> dict[str, Any]:
    before, after, now = states
    result = dict(now)
    for key in dict.fromkeys((*before, *after)):
        was, became, is_now = (each.get(key, _NOTHING) for each in states)
        if was in (became, is_now):
            continue
        if is_now == became:
            _set(result, key, was)
        elif key not in leave:
            raise changed_since()
    return result


def _put_back(states: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    before, after, now = states
    result = {key: value for key, value in now.items() if key in before or key not in after}
    for key in (*before, *after):
        was, became = (each.get(key, _NOTHING) for each in (before, after))
        if was != became and was is not _NOTHING:
            result[key] = was
    return result


def _set(fields: dict[str, Any], key: str, value: Any) -> None:
    if value is _NOTHING:
        del fields[key]
    else:
        fields[key] = value


def _without_metadata(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != "metadata"}


def _metadata(data: Mapping[str, Any]) -> Mapping[str, Any]:
    value = data.get("metadata")
    return value if isinstance(value, Mapping) else {}
