"""Whoever takes everything along sees how far it is."""

import pytest

from webapp.archives.everything import Progress
from webapp.archives.exports import Export, Exports


def made(heard, *, left=()):
    for count in range(3):
        heard(Progress(2, count, count * 5, list(left)))
        yield b"piece"


def test_an_export_is_seen_from_its_beginning_to_its_end():
    exports = Exports()
    assert exports.latest("ann") is None
    pieces = exports.watched("ann", lambda heard: made(heard, left=["One."]))
    assert exports.latest("ann") == Export("running")
    next(pieces)
    assert exports.latest("ann") == Export("running", 0, 2, 0)
    assert exports.latest("bob") is None
    assert list(pieces) == [b"piece", b"piece"]
    assert exports.latest("ann") == Export("ended", 2, 2, 10, ("One.",))


def test_who_leaves_in_the_middle_broke_it_off():
    exports = Exports()
    pieces = exports.watched("ann", made)
    next(pieces)
    next(pieces)
    pieces.close()
    assert exports.latest("ann") == Export("broken", 1, 2, 5)


def test_the_latest_of_two_is_told():
    exports = Exports()
    first = exports.watched("ann", made)
    next(first)
    second = exports.watched("ann", made)
    first.close()
    assert exports.latest("ann") == Export("running")
    list(second)
    assert exports.latest("ann") == Export("ended", 2, 2, 10)


def test_who_leaves_before_the_first_piece_broke_it_off_too():
    exports = Exports()
    exports.watched("ann", made).close()
    assert exports.latest("ann") == Export("broken")


def test_a_fault_on_the_way_is_no_good_end():
    def broken(heard):
        yield b"piece"
        raise ZeroDivisionError

    exports = Exports()
    pieces = exports.watched("ann", broken)
    next(pieces)
    with pytest.raises(ZeroDivisionError):
        next(pieces)
    pieces.close()
    assert exports.latest("ann").stage == "broken"
