"""Who asks."""

import threading

from webapp.generation.asker import ask_for, asker


def test_people_in_two_threads_do_not_meet():
    ask_for("ada")
    seen = []
    other = threading.Thread(target=lambda: seen.append(asker()))
    other.start()
    other.join()
    assert (asker(), seen) == ("ada", [""])
    ask_for("")
