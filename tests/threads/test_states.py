"""The state of a thread on disk."""

import pytest

from tests.threads.store_contract import said, thread
from webapp.threads import backend
from webapp.threads.states import states


@pytest.mark.parametrize("kind", backend.KINDS)
def test_each_change_of_its_messages_gives_a_thread_another_state(tmp_path, clock, kind):
    if kind == "sqlite":
        backend.SqliteThreadStore(tmp_path, clock).close()
        backend.choose(tmp_path, kind)
    store = backend.open_store(tmp_path, clock)
    store.create_thread(thread())
    seen = {states(tmp_path, ["t"])["t"]}
    for id in "abc":
        store.create_message("t", said(id))
        seen.add(states(tmp_path, ["t"])["t"])
    assert len(seen) == 4
    assert states(tmp_path, ["t"])["t"] in seen
    store.close()
