import io
import json
from pathlib import Path

import pytest

from tests.threads.disk_faults import no_file_grows_beyond
from webapp.documents import files
from webapp.documents.document import Document, Place
from webapp.documents.file_facts import FileFacts
from webapp.documents.scope import thread_scope
from webapp.errors import Conflict, Damaged, NotFound, StorageFailed, Unreadable

MOST = 1000


@pytest.fixture
def scope(tmp_path):
    return thread_scope(tmp_path, "t1")


def heard(_done):
    """Nobody listens."""


def store(scope, file_id="f1", content=b"words", name="a.txt", added=1):
    files.make_room(scope, file_id)
    arrived = files.receive(scope, file_id, io.BytesIO(content), MOST, heard)
    facts = FileFacts(file_id, name, arrived.size, arrived.sha256, added)
    files.keep(scope, facts)
    return facts


def everything(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_file_lies_under_our_names_only(scope, tmp_path):
    facts = store(scope, name="../../x.txt")
    assert everything(tmp_path / "threads") == [
        "t1",
        "t1/files",
        "t1/files/f1",
        "t1/files/f1/about.json",
        "t1/files/f1/original",
    ]
    assert files.load(scope) == [facts]
    assert files.original(scope, "f1").read_bytes() == b"words"


def test_an_upload_is_out_of_sight_until_it_is_kept(scope):
    files.make_room(scope, "f1")
    files.receive(scope, "f1", io.BytesIO(b"words"), MOST, heard)
    assert files.load(scope) == []
    files.clear_halves(scope)
    assert everything(scope.folder) == []
    with pytest.raises(NotFound):
        files.keep(scope, FileFacts("f1", "a.txt"))


def test_an_upload_is_heard_of_as_it_comes(scope):
    files.make_room(scope, "f1")
    sizes = []
    arrived = files.receive(scope, "f1", io.BytesIO(b"x" * 600_000), 10**6, sizes.append)
    assert sizes == [262_144, 524_288, 600_000]
    assert arrived.size == 600_000


@pytest.mark.parametrize("content", [b"x" * (MOST + 1), b"x" * 10**6])
def test_what_is_too_large_is_refused_and_nothing_stays(scope, content):
    files.make_room(scope, "f1")
    with pytest.raises(Unreadable, match="the limit is"):
        files.receive(scope, "f1", io.BytesIO(content), MOST, heard)
    assert everything(scope.folder) == []


def test_a_full_disk_is_said_and_nothing_stays(scope):
    files.make_room(scope, "f1")
    with no_file_grows_beyond(10), pytest.raises(StorageFailed, match="the disk is full"):
        files.receive(scope, "f1", io.BytesIO(b"x" * 100), MOST, heard)
    assert everything(scope.folder) == []


def test_a_listener_can_end_an_upload(scope):
    def end(_done):
        raise Conflict("Enough.")

    files.make_room(scope, "f1")
    with pytest.raises(Conflict):
        files.receive(scope, "f1", io.BytesIO(b"x"), MOST, end)
    assert everything(scope.folder) == []


@pytest.mark.parametrize(
    "about",
    [b"", b"{", b"\xff\xfe", b"[]", b'{"name": 3}', b"[" * 100_000, b'{"name": "a", "chunks": -1}'],
)
def test_lost_facts_are_said_with_their_file_and_the_others_live(scope, about):
    whole = store(scope, "f1")
    store(scope, "f2", added=2)
    (scope.folder / "f2" / files.ABOUT).write_bytes(about)
    (scope.folder / "f3").mkdir()
    first, *damaged = sorted(files.load(scope), key=lambda facts: facts.id)
    assert first == whole
    assert [facts.stage for facts in damaged] == ["damaged", "damaged"]
    assert {facts.name for facts in damaged} == {"file", "file (2)"}
    assert "cannot be read" in damaged[0].problem.what
    found = files.original_facts(scope, "f2")
    assert (found.size, found.sha256) == (whole.size, whole.sha256)
    with pytest.raises(NotFound):
        files.original_facts(scope, "f3")


def test_strangers_in_the_folder_are_passed_over(scope):
    facts = store(scope)
    (scope.folder / "notes.txt").write_text("mine")
    (scope.folder / "file").write_text("mine")
    (scope.folder / ".new-x").mkdir()
    assert files.load(scope) == [facts]


def test_a_folder_that_cannot_be_read_is_no_empty_one(scope):
    store(scope)
    files.clear_halves(scope)
    scope.folder.rename(scope.folder.with_name("aside"))
    scope.folder.symlink_to(scope.folder)
    with pytest.raises(StorageFailed):
        files.load(scope)


def test_unknown_fields_survive(scope):
    facts = store(scope)
    path = scope.folder / "f1" / files.ABOUT
    path.write_text(json.dumps({**json.loads(path.read_text()), "tags": ["x"]}))
    [found] = files.load(scope)
    files.save(scope, found.at("read"))
    assert json.loads(path.read_text())["tags"] == ["x"]
    assert files.load(scope)[0].sha256 == facts.sha256


def test_a_text_comes_back_with_its_places(scope):
    store(scope)
    assert not files.has_text(scope, "f1")
    assert files.stage_on_disk(scope, "f1") == "received"
    with pytest.raises(NotFound):
        files.text(scope, "f1")
    text = "первая 中文 🙂 \ud800 \x85\u2028 line\n" * 5000
    document = Document(text, (Place(0, 5, "page", "iv", 4),), "Title", ("A note.",), (("k", "v"),))
    files.write_text(scope, "f1", document)
    assert files.text(scope, "f1") == document
    assert files.stage_on_disk(scope, "f1") == "read"


def test_a_torn_text_is_damage(scope):
    store(scope)
    files.write_text(scope, "f1", Document("words " * 50))
    path = scope.folder / "f1" / files.TEXT
    whole = path.read_bytes()
    for data in (b"", whole[: len(whole) // 2], b"[1]", b"\x00", b"3\n" + whole, b"[" * 100_000):
        path.write_bytes(data)
        with pytest.raises(Damaged):
            files.text(scope, "f1")


def test_what_is_removed_is_gone_at_once_and_then_from_the_disk(scope):
    store(scope)
    store(scope, "f2", added=2)
    files.remove(scope, "f1")
    assert [facts.id for facts in files.load(scope)] == ["f2"]
    assert files.leftovers(scope) == ["f1"]
    files.take_apart(scope, "f1")
    assert [path.name for path in scope.folder.iterdir()] == ["f2"]


@pytest.mark.parametrize("id", ["..", "../t2/files/f1", "", ".", "f1/../f1", "a\0b"])
def test_what_is_no_id_leads_to_no_file(scope, id):
    store(scope)
    for act in (files.original, files.text):
        with pytest.raises(NotFound):
            act(scope, id)


def test_a_thread_that_went_away_takes_no_facts(scope):
    facts = store(scope)
    scope.folder.parent.rename(scope.folder.parent.with_name("gone"))
    with pytest.raises(StorageFailed):
        files.save(scope, facts)
    assert not Path(scope.folder).exists()
