"""What is wrong with how messages hang together, in words, and the records that mend it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from webapp.chat.messages import Message
from webapp.chat.records import Patch, Put, Record
from webapp.chat.tree import Tree
from webapp.threads.findings import told
from webapp.threads.replay import Replay

_ROUNDS: Final = 4


@dataclass(frozen=True)
class Mend:
    """`active_root` is what the thread's metadata should say."""

    records: tuple[Record, ...]
    active_root: str | None


def problems(messages: Sequence[Message], active_root: str | None) -> list[str]:
    """Sentences; none when all is well."""
    tree = Tree(messages, active_root)
    known = {message.id: message for message in messages}
    orphans = [each.id for each in messages if _parent(each) and _parent(each) not in known]
    ringed = _ringed(known)
    named = {*orphans, *ringed}
    loose = [each.message_id for each in _rehung(tree) if each.message_id not in named]
    stale = [message.id for message in _stale(tree)]
    found = [
        _told(orphans, "follows one that is not there", "follow some that are not there"),
        _told(ringed, "follows itself", "follow each other in a ring"),
        _told(
            loose,
            "follows nothing, though its question is there",
            "follow the wrong message, or none",
        ),
        _told(stale, "shows one that does not follow it", "show some that do not follow them"),
    ]
    if active_root is not None and active_root not in tree.children(None):
        found.append(f"The thread shows a beginning that is not there: {active_root}.")
    return [sentence for sentence in found if sentence]


def mend(messages: Sequence[Message], active_root: str | None) -> Mend:
    """Writes down what is shown anyway; no word is changed."""
    tree = Tree(messages, active_root)
    records: list[Record] = []
    for _ in range(_ROUNDS):  # what became a root may turn out to be an answer to something
        more = [*_rehung(tree), *_made_roots(tree)]
        if not more:
            break
        records += more
        tree = Tree(Replay([*map(Put, _messages(tree)), *more]).messages(), active_root)
    records += [_pointing(tree, message) for message in _stale(tree)]
    fine = active_root is None or active_root in tree.children(None)
    return Mend(tuple(records), active_root if fine else tree.active_root())


def _told(ids: Sequence[str], one: str, several: str) -> str:
    return told(ids, "message", one, several)


def _parent(message: Message) -> str | None:
    return message.parent_id if isinstance(message.parent_id, str) else None


def _messages(tree: Tree) -> Iterable[Message]:
    return (tree.message(message_id) for message_id in tree)


def _ringed(known: Mapping[str, Message]) -> list[str]:
    found: set[str] = set()
    walked_from: dict[str, str] = {}
    for start in known:
        at: str | None = start
        while at is not None and at in known and at not in walked_from:
            walked_from[at] = start
            at = _parent(known[at])
        while at is not None and walked_from.get(at) == start and at not in found:
            found.add(at)
            at = _parent(known[at])
    return [message_id for message_id in known if message_id in found]


def _rehung(tree: Tree) -> list[Patch]:
    return [record for record in tree.repairs() if isinstance(record, Patch)]


def _made_roots(tree: Tree) -> list[Patch]:
    """Messages that say they hang on something and hang on nothing."""
    return [
        Patch(message.id, {"parentId": None})
        for message in _messages(tree)
        if _parent(message) and tree.parent(message.id) is None
    ]


def _stale(tree: Tree) -> list[Message]:
    return [
        message
        for message in _messages(tree)
        if message.active_child_id is not None
        and message.active_child_id not in tree.children(message.id)
    ]


def _pointing(tree: Tree, message: Message) -> Put:
    child = tree.active_child(message.id)
    if child is None:
        return Put(message.without_metadata("activeChildId"))
    return Put(message.with_metadata({"activeChildId": child}))
