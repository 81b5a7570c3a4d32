"""Messages from the tree of another program, whose nodes know their parents, and not always say
something: what hangs on such a node hangs on the nearest one above that does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from webapp.archives.come import stable_id
from webapp.chat.messages import Message, Role, Status, Thread, new_message, new_thread
from webapp.chat.wording import LONGEST_TITLE, clean, title_from


@dataclass(frozen=True)
class Said:
    """`at` in milliseconds since 1970, 0 if it is not known; `fields` stand beside the text."""

    role: Role
    text: str
    at: float = 0
    status: Status = "ready"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Node:
    """`thinking` of a node that says nothing is put before the answers that follow it."""

    parent: str | None
    children: tuple[str, ...] = ()
    said: Said | None = None
    thinking: str = ""


@dataclass(frozen=True)
class Grown:
    """All of the tree, parents before their children, with the pointers that show `current`."""

    messages: tuple[Message, ...]
    active_root: str | None


@dataclass(frozen=True)
class _Place:
    """Where a node hangs: on the message `parent`, which came at `at`; `thinking` waits for the
    next answer."""

    id: str
    parent: str | None
    at: float
    thinking: str = ""


def grown(nodes: Mapping[str, Node], current: str | None, thread_id: str, began: float) -> Grown:
    """`began` in milliseconds is for messages whose time nobody knows."""
    kept: dict[str, Message] = {}
    for place, said in _walked(nodes, began):
        message = new_message(
            id=stable_id(place.id),
            thread_id=thread_id,
            role=said.role,
            text=said.text,
            created_at=int(said.at or place.at),
            status=said.status,
            metadata={"parentId": place.parent, **said.metadata},
        )
        kept[place.id] = message.with_fields(**said.fields)
    return _pointed(nodes, kept, current)


def thread_with(id: str, title: object, times: tuple[float, float], found: Grown) -> Thread:
    """Its own fields. `times` say when it was begun and last changed, in milliseconds or 0."""
    asked = next((each.text for each in found.messages if each.role == "user"), "")
    named = " ".join(clean(title).split())[:LONGEST_TITLE] if isinstance(title, str) else ""
    told = [*filter(None, times), *(each.created_at for each in found.messages)]
    thread = new_thread(id=id, title=named or title_from(asked), created=min(told) / 1000)
    thread = thread.with_fields(updated=(times[1] or max(told)) / 1000)
    return thread.with_metadata({"activeRootId": found.active_root} if found.active_root else {})


def thought(thinking: str, text: str) -> str:
    """An answer with its thinking before it."""
    if not thinking.strip():
        return text
    return f"<think>\n{thinking.strip()}\n</think>" + (f"\n\n{text}" if text else "")


# --- inside ---


def _walked(nodes: Mapping[str, Node], began: float) -> Iterator[tuple[_Place, Said]]:
    """What is said, parents first. Nodes in a ring hang on the first of them."""
    children = _children(nodes)
    seen: set[str] = set()
    for root in (*children[None], *nodes):
        waiting = [_Place(root, None, began)]
        while waiting:
            place = waiting.pop()
            if place.id in seen:
                continue
            seen.add(place.id)
            said, after = _heard(nodes, children, place)
            if said is not None:
                yield place, said
            waiting += [replace(after, id=id) for id in reversed(children.get(place.id, ()))]


def _children(nodes: Mapping[str, Node]) -> dict[str | None, list[str]]:
    """In the order that the parent gives them, then in that of the file."""
    found: dict[str | None, list[str]] = {None: []}
    for id, node in nodes.items():
        parent = node.parent if node.parent in nodes and node.parent != id else None
        found.setdefault(parent, []).append(id)
    for above, below in found.items():
        if above is not None:
            told = {child: number for number, child in enumerate(nodes[above].children)}
            below.sort(key=lambda child: told.get(child, len(told)))
    return found


def _heard(
    nodes: Mapping[str, Node], children: Mapping[str | None, list[str]], place: _Place
) -> tuple[Said | None, _Place]:
    """What is said there, and the place of what follows."""
    node = nodes[place.id]
    said = node.said
    thinking = "\n\n".join(filter(None, (place.thinking, node.thinking)))
    if said is None and node.thinking and not _is_answered(nodes, children, place.id):
        said = Said("assistant", "")
    if said is None:
        return None, replace(place, thinking=thinking)
    if thinking:
        said = replace(said, text=thought(thinking, said.text))
    return said, _Place("", stable_id(place.id), said.at or place.at)


def _is_answered(
    nodes: Mapping[str, Node], children: Mapping[str | None, list[str]], id: str
) -> bool:
    """Whether all that follows begins with an answer, which can take the thinking in."""
    waiting, seen = list(children.get(id, ())), {id}
    if not waiting:
        return False
    while waiting:
        below = waiting.pop()
        said, further = nodes[below].said, children.get(below, ())
        if said is not None and said.role != "assistant":
            return False
        if said is None and not nodes[below].thinking:
            if not further or below in seen:
                return False
            seen.add(below)
            waiting += further
    return True


def _pointed(nodes: Mapping[str, Node], kept: dict[str, Message], current: str | None) -> Grown:
    at, below, seen = current, None, set()
    root: str | None = None
    while at is not None and at in nodes and at not in seen:
        seen.add(at)
        if at in kept:
            if below is not None:
                kept[at] = kept[at].with_metadata({"activeChildId": below})
            root = below = kept[at].id
        at = nodes[at].parent
    return Grown(tuple(kept.values()), root)
