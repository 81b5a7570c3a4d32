"""Hooks for `conftest.py`: when a processor of several died, the run says so by its exit code."""

import pytest

_CRASHED = pytest.StashKey[bool]()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    if error:
        node.config.stash[_CRASHED] = True


def pytest_sessionfinish(session):
    """Not the code of tests that failed: others never ran."""
    if session.config.stash.get(_CRASHED, False):
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
