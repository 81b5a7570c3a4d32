"""Random histories of a thread: the store against a dict."""

from hypothesis import HealthCheck, settings

from tests.threads.store_machine import StoreMachine
from webapp.threads.jsonl import JsonlThreadStore


class JsonlMachine(StoreMachine):
    def open_store(self, folder, clock):
        return JsonlThreadStore(folder, clock)


class TestJsonlAgainstADict(JsonlMachine.TestCase):
    settings = settings(
        max_examples=30,
        stateful_step_count=20,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
