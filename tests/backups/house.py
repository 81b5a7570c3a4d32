"""A data directory in which something of everything is, and all that can be seen of it."""

from contextlib import contextmanager

from tests.conftest import Clock
from tests.documents.taking_in import CONTRACT, GARDEN, add, found, open_documents, stages
from tests.threads import lives
from webapp.backups import vault as vaults
from webapp.backups.making import Order, make
from webapp.backups.restoring import Restoring
from webapp.people.household import Guest, Household
from webapp.threads import backend
from webapp.threads.assistants import Assistants
from webapp.threads.doctor import examine
from webapp.threads.migration import migrate
from webapp.threads.projects import Projects

NOW = 1_767_225_600_000
LEFT_OUT = {"cache", "lance", "instance.lock", "last-backup.json"}


def fill(root, kind="jsonl"):
    """Threads with branches, files and a past; a project with a file; an assistant, people who
    are signed in, settings, and what is not backed up."""
    lives.live(backend.open_store, root)
    if kind == "sqlite":
        migrate(root, "sqlite", Clock())
    ids = iter(f"id-{number}" for number in range(1000)).__next__
    project = Projects(root, clock_ms=Clock(), new_id=ids).make("Boats", "Be brief.")
    Assistants(root, clock_ms=Clock(), new_id=ids).make({"name": "Pilot"})
    with documents_of(root) as documents:
        add(documents, documents.thread(harbour(root)), "contract.txt", CONTRACT)
        add(documents, documents.project(project.id), "garden.txt", GARDEN)
        assert stages(documents, documents.thread(harbour(root)))["contract.txt"] == "ready"
        assert stages(documents, documents.project(project.id)) == {"garden.txt": "ready"}
    house = Household(root, shared=True, clock_ms=Clock(), new_id=ids)
    house.join(house.register.open_house(), "Ada", "a long password", Guest("10.0.0.1"))
    (root / "settings.toml").write_text('api_key = "secret"\n')
    (root / "cache").mkdir(exist_ok=True)
    (root / "cache/search.sqlite3").write_text("made again")
    return root


@contextmanager
def documents_of(root):
    documents = open_documents(root)
    try:
        yield documents
    finally:
        documents.close()


def harbour(root):
    store = backend.open_store(root, Clock())
    try:
        return next(each.id for each in store.list_threads() if each.title == "Harbour walk")
    finally:
        store.close()


def bytes_of(root):
    """Every file that is backed up, with its mode."""
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mode)
        for path in sorted(root.rglob("*"))
        if path.is_file()
        and path.relative_to(root).parts[0] not in LEFT_OUT
        and path.name != "sessions.json"
        and not path.name.startswith("threads.sqlite3")
    }


def seen(root):
    """What its stores show: every message of every thread, projects, people, files found."""
    projects = Projects(root, clock_ms=Clock(), new_id=str).all()
    house = Household(root, shared=True, clock_ms=Clock(), new_id=str)
    assistants = Assistants(root, clock_ms=Clock(), new_id=str).all()
    with documents_of(root) as documents:
        documents.resume()
        assert documents.wait_idle(60)
        passages = found(documents, documents.thread(harbour(root)), "end this contract")
        passages += found(
            documents, documents.project(projects[0].id), "water the tomatoes every morning"
        )
    return {
        "threads": lives.seen(backend.open_store, root),
        "messages": messages(root),
        "projects": [(each.name, each.instructions) for each in projects],
        "people": house.register.roll(),
        "assistants": [each.name for each in assistants],
        "passages": passages,
        "wrong": [str(each) for each in examine(root).findings],
    }


def messages(root):
    store = backend.open_store(root, Clock())
    try:
        return {
            each.id: (dict(each.data), [dict(one.data) for one in store.read(each.id).messages])
            for each in store.list_threads()
        }
    finally:
        store.close()


def back_up(root, folder, at=NOW, **order):
    """A backup that is made without a command line; its moment is `at` unless one is newer."""
    vault = vaults.made(folder, root)
    with vault.held():
        return make(vault, Order(root, **order), lambda: at)


def restore(folder, root, state=None, **choices):
    vault = vaults.opened(folder)
    return Restoring(vault, state or vault.listing().states[0], root, **choices).run()
