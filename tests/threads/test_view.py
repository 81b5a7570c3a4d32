"""What a page shows of one message: its versions, and where later messages live."""

from tests.chat.trees import said
from webapp.chat.tree import Tree
from webapp.threads.view import Elsewhere, shown


def forked():
    """u1 is answered twice; three messages follow the first answer, none the second."""
    return Tree(
        [
            said("u1", None, 1),
            said("a1", "u1", 2),
            said("u2", "a1", 3),
            said("a2", "u2", 4),
            said("u3", "a2", 5),
            said("b1", "u1", 6),
        ]
    )


def test_versions_have_numbers_and_neighbours():
    first, second = (shown(forked(), each, "b1") for each in ("a1", "b1"))
    assert (first.version, first.previous_version, first.next_version) == (1, None, "b1")
    assert (second.version, second.previous_version, second.next_version) == (2, "a1", None)
    assert second.last


def test_later_messages_on_another_version_are_pointed_to():
    assert shown(forked(), "b1", "b1").elsewhere == Elsewhere("a1", 1, 3)
    assert shown(forked(), "a1", "u3").elsewhere is None
    assert shown(forked(), "u1", "b1").elsewhere is None


def test_versions_that_are_being_written_are_counted():
    tree = Tree([said("u1", None, 1), said("a1", "u1", 2)])
    pending = said("b1", "u1", 3).with_fields(status="pending")
    tree = Tree([tree.message("u1"), tree.message("a1"), pending])
    assert shown(tree, "a1", "a1").writing == 1
    assert shown(tree, "b1", "b1").writing == 0
