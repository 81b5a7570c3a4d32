import threading
from pathlib import Path

from webapp.documents.scope import thread_scope
from webapp.documents.scope_locks import ScopeLocks

ONE, TWO = thread_scope(Path("d"), "one"), thread_scope(Path("d"), "two")


def test_a_lock_keeps_others_out_of_its_own_scope_only():
    locks = ScopeLocks()
    entered = {"one": threading.Event(), "two": threading.Event()}

    def enter(scope):
        with locks.hold(scope):
            entered[scope.id].set()

    threads = [threading.Thread(target=enter, args=(scope,)) for scope in (ONE, TWO)]
    with locks.hold(ONE), locks.hold(ONE):
        for thread in threads:
            thread.start()
        assert entered["two"].wait(10)
        assert not entered["one"].is_set()
    for thread in threads:
        thread.join()
    assert entered["one"].is_set()
