"""A store and a plain dict are told the same; they must never differ. Any store can be put here:
a subclass gives `open_store(folder, clock)`, which is called again for every restart."""

import copy
import shutil
import tempfile
from pathlib import Path

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.conftest import Clock
from tests.threads.store_contract import said, thread
from webapp.chat.records import ActiveRoot, Append, Delete, Patch, Put
from webapp.errors import Conflict

any_text = st.text(st.characters(exclude_categories=()), max_size=6)
some_id = st.sampled_from([f"m{number}" for number in range(6)])
json_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=5,
)
a_put = st.builds(lambda id, text, odd: Put(said(id, text, odd=odd)), some_id, any_text, json_value)
a_record = st.one_of(
    a_put,
    st.builds(Patch, some_id, st.dictionaries(any_text, json_value, max_size=2)),
    st.builds(Append, some_id, any_text),
    st.builds(Delete, some_id),
)


def joined(value):
    """Two halves of a surrogate pair side by side are one character once they were JSON."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    if isinstance(value, list):
        return [joined(item) for item in value]
    if isinstance(value, dict):
        return {joined(key): joined(item) for key, item in value.items()}
    return value


class StoreMachine(RuleBasedStateMachine):
    def open_store(self, folder, clock):
        raise NotImplementedError

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp())
        self.clock = Clock()
        self.store = self.open_store(self.folder, self.clock)
        self.store.create_thread(thread())
        self.messages = {}
        self.title, self.root = "Harbour walk", None
        self.trashed = False
        self.earlier = []

    def teardown(self):
        if hasattr(self, "folder"):
            self.store.close()
            shutil.rmtree(self.folder)

    def in_list(self):
        return hasattr(self, "folder") and not self.trashed

    @precondition(in_list)
    @rule(records=st.lists(a_record, max_size=4), durable=st.booleans())
    def write(self, records, durable):
        self.store.write("t", records, durable=durable)
        for record in records:
            self.follow(record)

    @precondition(in_list)
    @rule(put=a_put)
    def create(self, put):
        self.store.create_message("t", put.message)
        if self.messages.get(put.message.id) is None:
            self.follow(put)

    @precondition(in_list)
    @rule(root=some_id, put=a_put)
    def write_with_root(self, root, put):
        self.store.write("t", [put], active_root=ActiveRoot(root))
        self.follow(put)
        self.root = root

    @precondition(in_list)
    @rule(records=st.lists(a_record, min_size=1, max_size=4))
    def act_and_take_it_back(self, records):
        before = copy.deepcopy(self.shown())
        self.store.write("t", records, what="An act")
        for record in records:
            self.follow(record)
        if self.shown() == before:
            return
        self.store.undo("t", self.store.changes("t")[0].id)
        for record in records:
            id = record.message.id if isinstance(record, Put) else record.message_id
            if id in self.messages:
                self.messages[id] = before.get(id)
        assert self.shown() == before

    @precondition(in_list)
    @rule(title=any_text)
    def rename_and_back_and_again(self, title):
        renamed = self.store.get_thread("t").with_fields(title=title)
        self.store.modify_thread(renamed, what="Renamed")
        if joined(title) != self.title:
            self.store.undo("t", self.store.changes("t")[0].id)
            assert self.store.get_thread("t").title == self.title
            self.store.undo("t", self.store.changes("t")[0].id)
        self.title = joined(title)

    @precondition(in_list)
    @rule()
    def rewrite(self):
        try:
            self.store.rewrite("t")
        except Conflict:
            raise AssertionError("nothing streams here") from None
        self.messages = {id: data for id, data in self.messages.items() if data is not None}

    @precondition(in_list)
    @rule()
    def remember(self):
        self.earlier.append((self.clock(), copy.deepcopy(self.shown())))

    @precondition(lambda self: self.in_list() and self.earlier)
    @rule(data=st.data())
    def look_back(self, data):
        moment, shown = data.draw(st.sampled_from(self.earlier))
        found = {each.id: joined(each.data) for each in self.store.as_of("t", moment).messages}
        assert found == shown

    @precondition(lambda self: hasattr(self, "folder"))
    @rule()
    def restart(self):
        self.store.close()
        self.store = self.open_store(self.folder, self.clock)

    @precondition(in_list)
    @rule()
    def delete_thread(self):
        self.store.delete_thread("t")
        self.trashed = True

    @precondition(lambda self: hasattr(self, "folder") and self.trashed)
    @rule()
    def restore_thread(self):
        self.store.restore_thread("t")
        self.trashed = False

    @invariant()
    def store_and_dict_agree(self):
        if not hasattr(self, "folder"):
            return
        listed = [(each.id, each.title) for each in self.store.list_threads()]
        assert listed == ([] if self.trashed else [("t", self.title)])
        assert [each.title for each in self.store.trash()] == [self.title or "t"] * self.trashed
        if self.trashed:
            return
        contents = self.store.read("t")
        assert contents.notices == ()
        found = {message.id: joined(message.data) for message in contents.messages}
        assert list(found) == list(self.shown())
        assert found == self.shown()
        assert self.store.get_thread("t").active_root_id == self.root

    def shown(self):
        return {id: data for id, data in self.messages.items() if data is not None}

    def follow(self, record):
        """The rules of the log, once more and as plainly as can be."""
        match record:
            case Put(message):
                self.messages[message.id] = joined(message.data)
            case Patch(id, metadata) if self.messages.get(id):
                data = self.messages[id]
                merged = {**data["metadata"], **joined(dict(metadata))}
                self.messages[id] = {**data, "metadata": merged}
            case Append(id, text) if self.messages.get(id):
                data = copy.deepcopy(self.messages[id])
                body = data["content"][0]["text"]
                body["value"] = joined(body["value"] + text)
                self.messages[id] = data
            case Delete(id) if id in self.messages:
                self.messages[id] = None
