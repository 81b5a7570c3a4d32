"""Acts on a conversation's tree: pure functions from a tree to what must be written.

Nothing is overwritten: an edit or another answer is a sibling, and a pointer says which is shown.
The caller writes `tree.repairs()` before the decision, then applies both to the tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from webapp.chat.authors import ASKED_BY, noted
from webapp.chat.messages import Message
from webapp.chat.records import ActiveRoot, Decision, Delete, Patch, Put
from webapp.chat.tree import Tree
from webapp.errors import BadInput, Conflict, NotFound

__all__ = [
    "Tree",
    "backfill",
    "delete_subtree",
    "edit",
    "fork",
    "regenerate_parent",
    "reply",
    "switch",
]


def reply(tree: Tree, message: Message) -> Decision:
    """Store a message under its `parentId` and show it there.

    A known id changes nothing. A legacy thread stays one while it only grows at its end: the
    message is then stored without `parentId`, so go on with the one in the decision.
    Raises NotFound if the parent is gone, BadInput if a branched thread gets no parent."""
    if message.id in tree:
        return Decision()
    parent = message.parent_id
    if not (parent is None or isinstance(parent, str)):
        return _continue_line(tree, message)
    if parent is not None and parent not in tree:
        raise NotFound(
            "The message that this one follows is no longer there.",
            do="Open the thread again and write under its last message.",
        )
    if tree.is_straight and parent is not None and parent == tree.active_leaf():
        return _continue_line(tree, message.without_metadata("parentId"))
    return _grow(tree, message, parent)


def _continue_line(tree: Tree, message: Message) -> Decision:
    if not tree.is_straight:
        raise BadInput(
            "This message does not say which one it follows.",
            do="Open the thread again and write under its last message.",
        )
    return Decision((Put(message),))


def _grow(tree: Tree, message: Message, parent: str | None) -> Decision:
    """Add a child; where it is not the first one that is a fork, so the line is backfilled."""
    shown = tree.active_child(parent)
    if shown is None:
        return Decision((Put(message),))
    stored = Decision((*backfill(tree).records, Put(message)))
    pointer = _pointer(tree, parent)
    newest = message.created_at >= tree.message(shown).created_at
    if pointer == message.id or (pointer != shown and newest):
        return stored
    return _pointing(stored, parent, message.id)


def _pointer(tree: Tree, parent: str | None) -> str | None:
    return tree.active_root_id if parent is None else tree.message(parent).active_child_id


def _pointing(decision: Decision, parent: str | None, child: str) -> Decision:
    if parent is None:
        return replace(decision, active_root=ActiveRoot(child))
    patch = Patch(parent, {"activeChildId": child})
    return replace(decision, records=(*decision.records, patch))


def regenerate_parent(tree: Tree, message_id: str) -> str:
    """The question to answer again: the message itself or the nearest one above it.

    Raises NotFound for an unknown id, Conflict if nothing was asked before this message."""
    at: str | None = message_id
    while at is not None:
        if tree.message(at).role == "user":
            return at
        at = tree.parent(at)
    raise Conflict(
        "There is no question before this answer.", do="Write a question; it will be answered."
    )


def switch(tree: Tree, message_id: str) -> Decision:
    """Show a path through this message. Pointers below it stay, so its old ending comes back."""
    tree.message(message_id)
    decision = Decision()
    child: str | None = message_id
    steps = 0
    while child is not None:
        parent = tree.parent(child)
        if tree.active_child(parent) != child:
            decision = _pointing(decision, parent, child)
        steps += 1
        # Asking costs some dozens of steps; asking at each doubling keeps long detours cheap.
        if parent is not None and steps & (steps - 1) == 0 and tree.on_active_path(parent):
            break
        child = parent
    return decision


def edit(
    tree: Tree, message_id: str, new_id: str, now_ms: int, text: str, *, by: str = ""
) -> tuple[Message, Decision]:
    """A new version beside the old one, which stays. Attachments and images come along;
    a question was asked by whoever wrote it anew.

    Raises NotFound for an unknown message, Conflict if `new_id` is in use."""
    if new_id in tree:
        raise Conflict("There is already a message with this id.", do="Save the edit again.")
    source = tree.message(message_id)
    parent = tree.parent(message_id)
    # A root whose stated parent is lost shares that loss with its versions.
    lost = source.parent_id if isinstance(source.parent_id, str) else None
    stated = lost if parent is None and lost not in tree else parent
    version = (
        source.with_text(text)
        .without_metadata("activeChildId", "error", ASKED_BY)
        .with_metadata({"parentId": stated, **(noted(by) if source.role == "user" else {})})
        .with_fields(id=new_id, created_at=now_ms, completed_at=now_ms, status="ready")
    )
    return version, _grow(tree, version, parent)


def delete_subtree(tree: Tree, message_id: str) -> Decision:
    """Delete the message and all below it. If it was shown, a neighbouring version is now."""
    gone = [Delete(id) for id in reversed(tree.subtree(message_id))]
    parent, neighbour = tree.parent(message_id), _neighbour(tree, message_id)
    if neighbour is None or tree.active_child(parent) != message_id:
        return Decision(tuple(gone))
    pointing = _pointing(Decision(), parent, neighbour)
    # Pointer first and leaves first: a write that is cut short leaves a whole tree.
    return replace(pointing, records=(*pointing.records, *gone))


def _neighbour(tree: Tree, message_id: str) -> str | None:
    """The next version, the one before for the last, None for the only one."""
    versions = tree.siblings(message_id)
    place = versions.index(message_id)
    others = (*versions[place + 1 : place + 2], *versions[max(place - 1, 0) : place])
    return others[0] if others else None


def backfill(tree: Tree) -> Decision:
    """Give the messages of a legacy line their parents; nothing for a branched thread.

    Last to first: what is not written yet then still leads the file and stays a line."""
    line = tree.unbranched()
    chain = zip(line, (None, *line), strict=False)
    patches = [Patch(id, {"parentId": parent}) for id, parent in chain]
    return Decision(tuple(reversed(patches)))


def fork(
    tree: Tree, message_id: str, thread_id: str, ids: Mapping[str, str]
) -> tuple[Message, ...]:
    """The path to this message as the straight beginning of another thread.

    `ids` gives a new id for each of `tree.path_to(message_id)`."""
    path = tree.path_to(message_id)
    parents = (None, *(ids[id] for id in path))
    return tuple(
        tree.message(id)
        .without_metadata("activeChildId")
        .with_metadata({"parentId": parent})
        .with_fields(id=ids[id], thread_id=thread_id)
        for id, parent in zip(path, parents, strict=False)
    )
