"""Out and in again, into an empty data directory of either kind: nothing is lost."""

import pytest

from tests.archives.lives import LEASE, lived, put_file
from webapp.archives.bringing import Bringing, Rooms
from webapp.archives.everything import everything
from webapp.archives.sources import source
from webapp.archives.stock import Stock, made_assistants
from webapp.archives.whose import Whose
from webapp.chat.branches import is_starred
from webapp.chat.citations import kept_excerpts
from webapp.chat.summary import summary_at
from webapp.chat.tool_calls import tool_calls
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.retrieval import Search
from webapp.documents.scope import project_scope, thread_scope
from webapp.documents.service import Documents
from webapp.engines.scripted import DIMENSION
from webapp.generation.sample import SampleThread
from webapp.threads.assistant_files import save
from webapp.threads.assistants import Assistants
from webapp.threads.backend import choose, open_store
from webapp.threads.database import FILE, Database
from webapp.threads.library import ThreadLibrary
from webapp.threads.projects import Projects


class House:
    """A whole data directory, of one kind of store."""

    def __init__(self, root, kind, engine, clock, new_id):
        if kind == "sqlite":
            root.mkdir()
            Database(root / FILE)
            choose(root, "sqlite")
        self.root = root
        made_by = {"clock_ms": clock, "new_id": new_id}
        self.store = open_store(root, clock)
        self.projects = Projects(root, **made_by)
        self.library = ThreadLibrary(self.store, projects=self.projects, **made_by)
        self.assistants = Assistants(root, **made_by)
        model = EmbeddingModel("scripted", DIMENSION)
        self.documents = Documents(root, engine, model, **made_by)

    def take(self, path):
        assistants, unread = made_assistants(self.root)
        whole = self.library.acts.whole
        rows, there = self.library.threads(), self.projects.all()
        stock = Stock(rows, whole, self.root, there, assistants, unread)
        pieces = everything(stock, "json", with_files=True, heard=lambda now: None)
        path.write_bytes(b"".join(pieces))

    def bring(self, path):
        rooms = Rooms(
            self.library,
            self.projects,
            self.assistants,
            self.root,
            1 << 20,
            self.documents.returned,
        )
        with source(path, 1) as found:
            return Bringing(rooms, Whose(), dry=False, heard=lambda now: None).run(found)

    def found(self, thread_id, words):
        scope = self.documents.thread(thread_id)
        assert all(each.is_over for each in self.documents.wait_over(scope, 30).files)
        passages = self.documents.search([scope], words, Search(10, 0.0)).passages
        return [(each.file_id, each.id, each.text, each.file_name) for each in passages]

    def close(self):
        self.documents.close()
        self.store.close()


@pytest.fixture(params=["jsonl", "sqlite"])
def kind(request):
    return request.param


@pytest.fixture
def house(tmp_path, engine, clock, new_id):
    made = []

    def make(name, kind):
        made.append(House(tmp_path / name, kind, engine, clock, new_id))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def old(house, engine, clock, new_id):
    """Where the owner lived until now."""
    old = house("old", "jsonl")
    project = old.projects.make("Flat", "Be exact.").id
    put_file(project_scope(old.root, project), name="rules.txt")
    put_file(thread_scope(old.root, "lived"))
    old.store.create_thread(*lived(project={"id": project}))
    save(old.root / "assistants/tutor", {"name": "Tutor", "instructions": "Ask back."})
    SampleThread(old.library, old.documents, None).made("")
    return old


def test_everything_is_equal_after_a_way_out_and_in(old, house, kind, tmp_path):
    old.take(tmp_path / "out.zip")
    new = house("new", kind)
    done = new.bring(tmp_path / "out.zip")
    assert (done.threads, done.projects, done.assistants, done.files) == (2, 1, 1, 3)
    assert (done.lost, done.damaged, done.notes) == (0, [], [])
    assert [row.id for row in new.library.threads()] == [row.id for row in old.library.threads()]
    for row in old.library.threads():
        was_thread, was = old.library.acts.whole(row.id)
        thread, messages = new.library.acts.whole(row.id)
        assert thread == was_thread
        assert messages == was
        ids = [each.message.id for each in new.library.view(row.id).shown]
        assert ids == [each.message.id for each in old.library.view(row.id).shown]
        assert new.found(row.id, "notice period") == old.found(row.id, "notice period") != []
        for state in old.documents.status(old.documents.thread(row.id)):
            scopes = old.documents.thread(row.id), new.documents.thread(row.id)
            was_file, file = (
                house.documents.state(scope, state.id)
                for house, scope in zip((old, new), scopes, strict=True)
            )
            assert (file.name, file.facts) == (was_file.name, was_file.facts)
            assert new.documents.text(scopes[1], state.id) == old.documents.text(
                scopes[0], state.id
            )
    assert [each.data for each in new.projects.all()] == [each.data for each in old.projects.all()]
    assert new.assistants.get("tutor") == old.assistants.get("tutor")
    assert new.bring(tmp_path / "out.zip").is_anything is False


def test_what_makes_a_thread_ones_own_is_there(old, house, kind, tmp_path):
    old.take(tmp_path / "out.zip")
    new = house("new", kind)
    new.bring(tmp_path / "out.zip")
    by_id = {each.id: each for each in new.library.acts.whole("lived")[1]}
    assert by_id["q1"].metadata["pinned"] is True
    assert by_id["q2"].metadata["muted"] is True
    assert is_starred(by_id["a2"])
    assert summary_at(by_id["a1"]).lines[0].text == "Three months"
    assert kept_excerpts(by_id["a1"])[0].file_id == "f1"
    assert tool_calls(by_id["t1"])[0].name == "retrieve"
    assert new.library.membership.of("lived").name == "Flat"
    scope = new.documents.thread("lived")
    assert new.documents.original(scope, "f1").read_bytes() == LEASE
    sample = next(row for row in new.library.threads() if row.id != "lived")
    cited = [m for m in new.library.acts.whole(sample.id)[1] if kept_excerpts(m)]
    assert cited
    known = {state.id for state in new.documents.status(new.documents.thread(sample.id))}
    assert {each.file_id for message in cited for each in kept_excerpts(message)} <= known


def test_a_second_way_out_is_the_same_zip_of_threads(old, house, kind, tmp_path):
    """What is inside, byte by byte: files that are read anew say when."""
    import zipfile  # noqa: PLC0415

    old.take(tmp_path / "first.zip")
    new = house("new", kind)
    new.bring(tmp_path / "first.zip")
    for row in new.library.threads():
        new.found(row.id, "x")
    new.documents.wait_idle(30)
    new.take(tmp_path / "second.zip")
    contents = []
    for name in ("first.zip", "second.zip"):
        with zipfile.ZipFile(tmp_path / name) as archive:
            contents.append({each: archive.read(each) for each in archive.namelist()})
    assert contents[0].keys() == contents[1].keys()
    changed = [name for name in contents[0] if contents[0][name] != contents[1][name]]
    assert [name for name in changed if not name.startswith(("threads/lived", "projects/"))] == []
