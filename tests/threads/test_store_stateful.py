"""Random histories of a thread: the store against a dict."""

from hypothesis import HealthCheck, settings

from tests.threads.store_machine import StoreMachine
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.sqlite import SqliteThreadStore


class JsonlMachine(StoreMachine):
    def open_store(self, folder, clock):
        return JsonlThreadStore(folder, clock)


class SqliteMachine(StoreMachine):
    def open_store(self, folder, clock):
        return SqliteThreadStore(folder, clock)


RANDOM_HISTORIES = settings(
    max_examples=30,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


class TestJsonlAgainstADict(JsonlMachine.TestCase):
    settings = RANDOM_HISTORIES


class TestSqliteAgainstADict(SqliteMachine.TestCase):
    settings = RANDOM_HISTORIES
