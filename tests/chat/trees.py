"""Small ways to make messages and trees for tests, whole ones and damaged ones."""

import json
from pathlib import Path

from hypothesis import strategies as st

from webapp.chat.branching import Tree
from webapp.chat.messages import ABSENT, Message, new_message
from webapp.chat.records import Append, Delete, Patch, Put

FIELD_THREADS = Path(__file__).parents[1] / "data" / "threads"


def said(id, parent=ABSENT, at=None, role=None, **metadata):
    """A message whose role follows from its id: `u…` asks, `s…` is a system text, else answers."""
    if parent is not ABSENT:
        metadata["parentId"] = parent
    return new_message(
        id=id,
        thread_id="t",
        role=role or {"u": "user", "s": "system"}.get(id[0], "assistant"),
        text=f"text of {id}",
        created_at=at if at is not None else 1000,
        metadata=metadata,
    )


def line(*ids, **options):
    """Messages of a legacy thread, one after the other."""
    return [said(id, at=1000 + place, **options) for place, id in enumerate(ids)]


def chain(*ids):
    """Messages of a branched thread without forks."""
    parents = (None, *ids)
    pairs = zip(ids, parents, strict=False)
    return [said(id, parent, 1000 + place) for place, (id, parent) in enumerate(pairs)]


def decide(tree, decision):
    """What a library does with a decision: repairs first, then the records, then the root."""
    tree.apply((*tree.repairs(), *decision.records))
    if decision.active_root:
        tree.set_active_root(decision.active_root.message_id)


def rebuilt(tree):
    return Tree([tree.message(id) for id in tree], tree.active_root_id)


def picture(tree):
    """All that can be seen of a tree."""
    return {
        "order": list(tree),
        "messages": [tree.message(id) for id in tree],
        "shape": {id: (tree.parent(id), tree.children(id), tree.depth(id)) for id in tree},
        "shown": {id: (tree.active_child(id), tree.leaf_through(id)) for id in tree},
        "on_path": [id for id in tree if tree.on_active_path(id)],
        "roots": tree.children(None),
        "root": tree.active_root(),
        "leaf": tree.active_leaf(),
        "path": tree.active_path(),
        "repairs": tree.repairs(),
        "line": tree.unbranched(),
    }


def field_thread(name):
    """Messages and root pointer of a field case; lines without a role are no messages."""
    folder = FIELD_THREADS / name
    thread = json.loads((folder / "thread.json").read_text(encoding="utf-8"))
    lines = (folder / "messages.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(each) for each in lines]
    messages = [Message(each) for each in found if "role" in each]
    return Tree(messages, thread.get("metadata", {}).get("activeRootId"))


IDS = [f"{letter}{number}" for letter in "uas" for number in range(5)]
NAMES = st.sampled_from([*IDS, "gone"])
PARENTS = st.one_of(st.just(ABSENT), st.none(), NAMES, NAMES, st.just(7))


@st.composite
def any_message(draw):
    """Any parent, even itself, a missing one or a number; any pointer; few different times."""
    pointer = draw(st.one_of(st.none(), NAMES, st.just(["x"])))
    metadata = {} if pointer is None else {"activeChildId": pointer}
    return said(draw(st.sampled_from(IDS)), draw(PARENTS), draw(st.integers(0, 3)), **metadata)


@st.composite
def damaged_trees(draw):
    """Rings, orphans, strangers as pointers, answers without parents, double ids, legacy heads."""
    head = draw(st.integers(0, 3))
    legacy = [said(id, at=0) for id in IDS[:head]]
    messages = draw(st.lists(any_message(), max_size=14))
    return Tree([*legacy, *messages], draw(st.one_of(st.none(), NAMES)))


@st.composite
def damaged_trees_in_order(draw):
    """As damaged trees, but a parent that is there stands before its children in the file."""
    tree = draw(damaged_trees())
    place = {id: number for number, id in enumerate(tree)}
    messages = [tree.message(id) for id in tree]
    late = {
        message.id for message in messages if place.get(message.parent_id, -1) >= place[message.id]
    }
    lost = {"parentId": "gone"}
    return Tree(
        [each.with_metadata(lost) if each.id in late else each for each in messages],
        tree.active_root_id,
    )


@st.composite
def sound_trees(draw):
    """Trees as Strata makes them: each message under an earlier one, or a root."""
    messages = []
    for number in range(draw(st.integers(1, 12))):
        earlier = [message.id for message in messages]
        parent = draw(st.sampled_from([None, *earlier])) if earlier else None
        role = draw(st.sampled_from("ua")) if parent else "u"
        pointer = draw(st.one_of(st.none(), st.sampled_from([*earlier, "gone"])))
        metadata = {} if pointer is None else {"activeChildId": pointer}
        at = draw(st.integers(0, 3))
        messages.append(said(f"{role}{number}", parent, at, **metadata))
    return Tree(messages, draw(st.one_of(st.none(), st.sampled_from(["u0", "gone"]))))


def legacy_trees():
    roles = st.lists(st.sampled_from("uas"), max_size=10)
    return roles.map(lambda found: Tree(line(*(f"{r}{n}" for n, r in enumerate(found)))))


def any_trees():
    return st.one_of(sound_trees(), damaged_trees(), legacy_trees())


def any_records():
    metadata = st.one_of(
        st.builds(lambda to: {"activeChildId": to}, st.one_of(st.none(), NAMES)),
        st.builds(lambda to: {"parentId": to}, st.one_of(st.none(), NAMES)),
        st.just({"name": "a branch"}),
    )
    return st.one_of(
        st.builds(Put, any_message()),
        st.builds(Patch, NAMES, metadata),
        st.builds(Append, NAMES, st.just("more")),
        st.builds(Delete, NAMES),
    )
