"""Files that people bring: looked at, brought in, forgotten."""

import shutil
import threading
from pathlib import Path

import pytest

from webapp.archives.bringing import Rooms
from webapp.archives.imports import Imports
from webapp.archives.whose import Whose
from webapp.errors import Conflict, StorageFailed
from webapp.threads.assistants import Assistants

EXPORTS = Path(__file__).resolve().parent.parent / "data" / "exports"


@pytest.fixture
def rooms(library, projects, data, clock, new_id):
    assistants = Assistants(data, clock_ms=clock, new_id=new_id)
    return Rooms(library, projects, assistants, data, 1000)


@pytest.fixture
def imports(tmp_path, clock, new_id):
    imports = Imports(tmp_path / "imports", clock_ms=clock, new_id=new_id)
    yield imports
    imports.close()


@pytest.fixture
def sent(imports, rooms):
    def send(name="chatgpt.json", person="ann", data=None):
        with imports.room() as path:
            path.write_bytes(data if data is not None else (EXPORTS / name).read_bytes())
            imports.look(person, name, path, rooms, Whose())
        imports.wait(10)
        return imports.now(person)

    return send


def left(tmp_path):
    return list((tmp_path / "imports").glob("*"))


def test_a_file_is_looked_at_then_brought_in_and_its_bytes_go(
    imports, sent, rooms, library, tmp_path
):
    now = sent()
    assert (now.stage, now.outcome.threads, now.outcome.lost) == ("looked", 3, 1)
    assert library.threads() == []
    assert len(left(tmp_path)) == 1
    imports.bring("ann", rooms, Whose())
    imports.wait(10)
    now = imports.now("ann")
    assert (now.stage, now.outcome.threads, now.total) == ("brought", 3, 4)
    assert len(library.threads()) == 3
    assert left(tmp_path) == []
    with pytest.raises(Conflict):
        imports.bring("ann", rooms, Whose())
    assert sent().outcome.known == 3


def test_what_nothing_can_be_read_from_failed_with_a_sentence(imports, sent, rooms, tmp_path):
    for data in (b"\x89PNG", b"[]", b"PK\x03\x04"):
        now = sent(data=data)
        assert now.stage == "failed"
        assert now.problem.endswith(".")
        assert left(tmp_path) == []
    with pytest.raises(Conflict):
        imports.bring("ann", rooms, Whose())


def test_each_sees_only_their_own_and_a_new_one_takes_the_old_ones_place(imports, sent, tmp_path):
    sent()
    assert imports.now("bob") is None
    sent("open_webui.json", "bob")
    assert sent("open_webui.json").name == "open_webui.json"
    assert len(left(tmp_path)) == 2
    imports.drop("ann")
    imports.drop("nobody")
    assert imports.now("ann") is None
    assert len(left(tmp_path)) == 1


def test_what_is_being_brought_in_is_left_in_peace(imports, sent, rooms, library):
    sent()
    going, may_go = threading.Event(), threading.Event()
    take_in = library.acts.take_in

    def slow(*thread):
        going.set()
        assert may_go.wait(10)
        take_in(*thread)

    library.acts.take_in = slow
    imports.bring("ann", rooms, Whose())
    assert going.wait(10)
    assert imports.now("ann").is_working
    for act in (
        lambda: imports.drop("ann"),
        lambda: imports.bring("ann", rooms, Whose()),
        sent,
    ):
        with pytest.raises(Conflict, match="still being imported"):
            act()
    may_go.set()
    imports.wait(10)
    assert imports.now("ann").stage == "brought"


def test_the_end_of_the_server_ends_it_after_the_thread_at_hand(imports, sent, rooms, library):
    sent()
    going, may_go = threading.Event(), threading.Event()
    take_in = library.acts.take_in

    def slow(*thread):
        take_in(*thread)
        going.set()
        assert may_go.wait(10)

    library.acts.take_in = slow
    imports.bring("ann", rooms, Whose())
    assert going.wait(10)
    closing = threading.Thread(target=imports.close)
    closing.start()
    while not imports._closed:
        pass
    may_go.set()
    closing.join(10)
    assert imports.now("ann").stage == "failed"
    assert len(library.threads()) == 1


def test_a_fault_of_ours_is_told_and_logged(imports, sent, rooms, library, caplog):
    sent()

    def broken(*_):
        raise ZeroDivisionError

    library.acts.take_in = broken
    imports.bring("ann", rooms, Whose())
    imports.wait(10)
    assert imports.now("ann").stage == "failed"
    assert "ZeroDivisionError" in caplog.text


def test_what_was_left_by_an_earlier_server_goes(tmp_path, clock, new_id):
    (tmp_path / "imports").mkdir()
    (tmp_path / "imports/old").write_text("x")
    Imports(tmp_path / "imports", clock_ms=clock, new_id=new_id)
    assert left(tmp_path) == []


def test_a_file_that_did_not_arrive_leaves_nothing(imports, tmp_path):
    with pytest.raises(StorageFailed), imports.room() as path:
        path.write_bytes(b"half")
        raise OSError(28, "full")
    assert left(tmp_path) == []
    shutil.rmtree(tmp_path / "imports")
