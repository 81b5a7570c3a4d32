"""Which tools there are for an answer, and what a call of another gets."""

from webapp.generation.within import Within


def test_without_files_and_threads_there_is_nothing_to_call():
    within = Within()
    assert within.names == () == within.schemas(3)
    for tool in ("retrieve", "recall", "dance"):
        assert within.call(tool, {"query": "dog"}).problem == f"No tool {tool}."
