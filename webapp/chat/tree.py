"""An index over one thread's messages, kept up to date record by record. No I/O.

Built once (n log n). After that a new message, an edit or a switch costs some dozens of steps
whatever the thread's length; a path costs its depth. Records that a healthy thread never sees
(a parent that changes, a lost message that comes back) rebuild the index instead.

One `Tree` is not for two threads at once: its owner holds the conversation's lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from webapp.chat.forest import Forest, Key, Node, Seed
from webapp.chat.messages import ABSENT, Message
from webapp.chat.records import Append, Patch, Put, Record
from webapp.chat.repair import place
from webapp.errors import NotFound


class Tree:
    """Messages by id, and where each hangs after repair on read (rules in `chat/repair.py`).

    Iterating gives ids in file order: where an id first stood; a deleted one starts anew."""

    def __init__(self, messages: Iterable[Message], active_root_id: str | None = None) -> None:
        self._messages = {message.id: message for message in messages}
        self._active_root_id = active_root_id
        self._build()

    def _build(self) -> None:
        places = place(tuple(self._messages.values()))
        self._line = places.line
        self._repairs = places.repairs
        self._awaited = places.awaited
        self._uncertain = places.uncertain
        self._placeless = places.placeless
        self._order = {id: position for position, id in enumerate(self._messages)}
        self._next_order = len(self._order)
        seeds = (self._seed(self._messages[id], to) for id, to in places.parents.items())
        self._forest = Forest(seeds, self._active_root_id)

    def __len__(self) -> int:
        return len(self._messages)

    def __contains__(self, id: object) -> bool:
        return id in self._messages

    def __iter__(self) -> Iterator[str]:
        return iter(self._messages)

    @property
    def active_root_id(self) -> str | None:
        """The pointer as the thread's metadata has it; it may be stale."""
        return self._active_root_id

    @property
    def is_straight(self) -> bool:
        """True if no message was ever branched: a legacy thread, or an empty one."""
        return len(self._line) == len(self._messages)

    def message(self, id: str) -> Message:
        """Raises NotFound."""
        self._node(id)
        return self._messages[id]

    def parent(self, id: str) -> str | None:
        """After repair; in a legacy line the message before. None for a root."""
        return _id(self._node(id).parent)

    def children(self, id: str | None) -> tuple[str, ...]:
        """Oldest first, ties by file order; the roots for None."""
        return tuple(child.id for child in self._node(id).children)

    def siblings(self, id: str) -> tuple[str, ...]:
        """All versions of a message, itself among them, in the order of `children`."""
        return self.children(self.parent(id))

    def active_child(self, id: str | None) -> str | None:
        """The child pointed at if there is one, else the newest; the active root for None."""
        child = self._forest.active(self._node(id))
        return child.id if child else None

    def active_root(self) -> str | None:
        return self.active_child(None)

    def active_leaf(self) -> str | None:
        """The last message of the active path; None in an empty thread."""
        return _id(self._forest.leaf(self._forest.top))

    def leaf_through(self, id: str) -> str:
        """The message in which the path through `id` ends, following the pointers below it."""
        return self._forest.leaf(self._node(id)).id

    def active_path(self) -> list[str]:
        leaf = self.active_leaf()
        return [] if leaf is None else self.path_to(leaf)

    def on_active_path(self, id: str) -> bool:
        return self._forest.shows(self._node(id))

    def path_to(self, id: str) -> list[str]:
        """From the root to `id`, both included."""
        return [node.id for node in self._forest.up(self._node(id))][::-1]

    def tail(self, leaf: str | None, limit: int, before: str | None = None) -> list[str]:
        """The last `limit` ids of the path to `leaf` (None: the active leaf), oldest first.

        With `before`, those that come before that message on its own path. Costs `limit`."""
        end = self._forest.leaf(self._forest.top) if leaf is None else self._node(leaf)
        if before is not None:
            end = self._node(before).parent or self._forest.top
        nodes = islice(self._forest.up(end), max(limit, 0))
        return [node.id for node in nodes][::-1]

    def depth(self, id: str) -> int:
        """How many messages the path to it has: 1 for a root."""
        return self._node(id).depth

    def subtree(self, id: str) -> list[str]:
        """The message first, then everything below it, parents before their children."""
        found: list[str] = []
        waiting = [self._node(id)]
        while waiting:
            node = waiting.pop()
            found.append(node.id)
            waiting.extend(reversed(node.children))
        return found

    def unbranched(self) -> tuple[str, ...]:
        """The legacy line, first to last: messages without a `parentId` that lead the file."""
        return tuple(self._line)

    def repairs(self) -> tuple[Record, ...]:
        """What repair on read changed in memory, to be written before the next write."""
        return tuple(Patch(id, {"parentId": to}) for id, to in self._repairs.items())

    @property
    def placeless(self) -> int:
        """How many messages name a parent that is not there, or that would be below them."""
        return self._placeless

    def set_active_root(self, id: str | None) -> None:
        self._active_root_id = id
        self._forest.point(None, id)

    def apply(self, records: Sequence[Record]) -> None:
        """Follow what was written. Afterwards the tree equals one built from scratch."""
        repairs_left = len(self._repairs)
        follows = True
        for record in records:
            id = record.message.id if isinstance(record, Put) else record.message_id
            before = self._messages.get(id)
            after = _changed(before, record)
            follows = follows and self._follow(before, after)
            if after is not None:
                self._messages[id] = after
            elif before is not None:
                del self._messages[id]
        if not follows or 0 < len(self._repairs) < repairs_left:
            self._build()

    def _follow(self, before: Message | None, after: Message | None) -> bool:
        """Change the index along; False if only a rebuild can tell."""
        if after is None:
            return before is None or self._follow_delete(before)
        if before is None:
            return self._follow_new(after)
        return self._follow_change(before, after)

    def _follow_new(self, message: Message) -> bool:
        if self._repairs or message.id in self._awaited:
            return False
        parent = message.parent_id
        if parent is ABSENT:
            if not self.is_straight:
                return False
            parent = self._line[-1] if self._line else None
            self._line.append(message.id)
        elif parent is None and message.role == "assistant":
            return False
        if not (parent is None or isinstance(parent, str)) or not self._has(parent):
            return False
        self._order[message.id] = self._next_order
        self._next_order += 1
        self._forest.insert(self._seed(message, parent))
        return True

    def _follow_delete(self, message: Message) -> bool:
        node = self._node(message.id)
        answer_as_root = message.role == "assistant" and message.parent_id is None
        if node.children or self._uncertain or answer_as_root:
            return False
        if self._line and self._line[-1] == message.id:
            self._line.pop()
        self._forest.remove(message.id)
        return True

    def _follow_change(self, before: Message, after: Message) -> bool:
        id = after.id
        if before.role != after.role:
            return False
        if before.parent_id != after.parent_id and not self._parent_written(after):
            return False
        if before.created_at != after.created_at:
            if self._repairs:
                return False
            self._forest.sort_again(id, self._key(after))
        self._forest.point(id, after.active_child_id)
        return True

    def _parent_written(self, message: Message) -> bool:
        """True if the file now says what the index knew: by a repair, or by backfill."""
        if message.parent_id != self.parent(message.id):
            return False
        if self._line and self._line[-1] == message.id:
            self._line.pop()
            return True
        return self._repairs.pop(message.id, None) is not None

    def _has(self, id: str | None) -> bool:
        return id is None or id in self._forest.nodes

    def _node(self, id: str | None) -> Node:
        try:
            return self._forest.find(id)
        except KeyError:
            raise NotFound(
                "This message is not in the thread.", do="Open the thread again to see what is."
            ) from None

    def _key(self, message: Message) -> Key:
        return (message.created_at, self._order[message.id])

    def _seed(self, message: Message, parent: str | None) -> Seed:
        return Seed(message.id, self._key(message), parent, message.active_child_id)


def _id(node: Node | None) -> str | None:
    """The top has no id of its own."""
    return node.id if node is not None and node.parent is not None else None


def _changed(message: Message | None, record: Record) -> Message | None:
    """The message after the record; patches and appends to an unknown id do nothing."""
    if isinstance(record, Put):
        return record.message
    if message is None:
        return None
    if isinstance(record, Patch):
        return message.with_metadata(record.metadata)
    return message.with_appended(record.text) if isinstance(record, Append) else None
