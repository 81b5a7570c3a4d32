import inspect

import pytest

from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.sqlite import SqliteThreadStore
from webapp.threads.store import Contents, DamagedThread, ThreadStore

PROMISED = [name for name in vars(ThreadStore) if not name.startswith("_")]


@pytest.mark.parametrize("store", [JsonlThreadStore, SqliteThreadStore])
@pytest.mark.parametrize("name", PROMISED)
def test_what_the_contract_promises_is_called_alike_in_every_store(name, store):
    promised = inspect.signature(getattr(ThreadStore, name))
    assert inspect.signature(getattr(store, name)) == promised
    assert getattr(ThreadStore, name).__doc__ or name == "trash"


def test_a_thread_without_trouble_has_no_notices():
    assert Contents(()).notices == ()
    assert DamagedThread("t", "broken").updated == 0
