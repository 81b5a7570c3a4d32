"""Ids of what comes in."""

from webapp.archives.placing import Spot, project_spots, thread_spots
from webapp.archives.whose import Whose
from webapp.chat.messages import is_id, new_thread
from webapp.threads.projects import DamagedProject, Project
from webapp.threads.store import DamagedThread, TrashedThread

BOB = Whose("bob", False, frozenset({"ann", "bob"}))


def row(id, owner):
    return new_thread(id=id, title="", created=1).with_metadata({"owner": owner})


def test_a_free_id_is_taken_and_ones_own_is_known():
    trash = [TrashedThread("old", "", 1, "bob"), TrashedThread("mine", "", 1, "bob")]
    spots = thread_spots(BOB, [row("mine", "bob")], trash)
    assert spots.find("new") == Spot("new", "free")
    assert spots.find("mine") == Spot("mine", "here")
    assert spots.find("old") == Spot("old", "trashed")
    spots.took("new")
    assert spots.find("new") == Spot("new", "here")


def test_instead_of_anothers_or_an_unreadable_one_there_is_always_the_same_new_id():
    rows = [row("anns", "ann"), DamagedThread("torn", "x")]
    trash = [TrashedThread("gone", "", 1, "ann")]
    first, second = thread_spots(BOB, rows, trash), thread_spots(BOB, rows, trash)
    found = [first.find(id) for id in ("anns", "torn", "gone")]
    assert [second.find(id) for id in ("anns", "torn", "gone")] == found
    assert len({spot.id for spot in found}) == 3
    assert all(is_id(spot.id) and spot.standing == "free" for spot in found)
    again = thread_spots(BOB, [*rows, row(found[0].id, "bob")], trash)
    assert again.find("anns") == Spot(found[0].id, "here")
    carol = thread_spots(Whose("carol", False, BOB.people), rows, trash)
    assert carol.find("anns").id != found[0].id


def test_a_new_id_that_is_taken_too_is_passed_over():
    rows = [row("anns", "ann")]
    first = thread_spots(BOB, rows, []).find("anns").id
    second = thread_spots(BOB, [*rows, DamagedThread(first, "x")], []).find("anns").id
    assert second not in ("anns", first)


def test_projects_likewise():
    mine = Project({"id": "mine", "owner": "bob"})
    spots = project_spots(BOB, [mine, Project({"id": "anns"}), DamagedProject("torn", "x")])
    assert spots.find("mine").standing == "here"
    assert spots.find("anns").id != "anns"
    assert spots.find("torn").id != "torn"
