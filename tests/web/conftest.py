"""The whole page over real parts: a store on disk, the scripted engine, Flask's own client."""

import threading
from dataclasses import replace

import pytest
from argon2 import PasswordHasher
from flask import Flask

from webapp.archives.imports import Imports
from webapp.assets import static_folder, templates_folder
from webapp.chat.messages import new_message
from webapp.chat.records import Put
from webapp.chat.summary import summary_at
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.service import Documents
from webapp.engines.catalog import load_catalog
from webapp.engines.models import Models
from webapp.engines.scripted import DIMENSION
from webapp.engines.slot import EngineSlot
from webapp.people.household import Guest, Household
from webapp.people.secret_words import Passwords
from webapp.search.finder import Finder
from webapp.settings import Loaded, Settings
from webapp.settings_file import SettingsFile
from webapp.threads.assistants import Assistants
from webapp.threads.observed import StoredSource
from webapp.web.services import Services
from webapp.web.settings_desk import SettingsDesk
from webapp.web.setup import install

QUICK = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


class Page:
    """What a browser does: it follows links and sends forms, with htmx or without."""

    def __init__(self, client, generation):
        self.client = client
        self.generation = generation

    def get(self, url, **options):
        return self.client.get(url, **options)

    def send(self, url, **fields):
        return self.client.post(url, data=fields)

    def htmx(self, url, **fields):
        return self.client.post(url, data=fields, headers={"HX-Request": "true"})

    def wait(self, thread_id):
        """Until no answer and no title of that thread is being written."""
        for message_id in self.generation.running(thread_id):
            live = self.generation.live(message_id)
            if live is not None:
                assert live.wait_done(timeout=10).done
        pause = threading.Event()
        for _ in range(5000):
            if not self.generation.titles.expected(thread_id):
                return
            pause.wait(0.002)
        raise AssertionError("a title is expected that never comes")

    def begin(self, text="How do tides work?"):
        """A thread with an answered first question; its id."""
        url = self.send("/threads", text=text).location
        thread_id = url.split("/")[2].split("#")[0]
        self.wait(thread_id)
        return thread_id

    def ask(self, thread_id, text, **fields):
        response = self.htmx(f"/threads/{thread_id}/messages", text=text, **fields)
        self.wait(thread_id)
        return response


@pytest.fixture
def settings(tmp_path):
    return replace(Settings(), data=tmp_path / "data", models=tmp_path / "models")


@pytest.fixture
def documents(settings, engine, clock, new_id):
    model = EmbeddingModel("scripted", DIMENSION)
    documents = Documents(settings.data, engine, model, clock_ms=clock, new_id=new_id)
    yield documents
    documents.close()


@pytest.fixture
def assistants(settings, clock, new_id):
    return Assistants(settings.data, clock_ms=clock, new_id=new_id)


@pytest.fixture
def services(
    settings, store, library, generation, engine, documents, projects, assistants, clock, new_id
):
    file = SettingsFile(settings.data / "settings.toml")
    desk = SettingsDesk(file, lambda: Loaded(settings), lambda _: None, lambda _: None)
    slot = EngineSlot(engine)
    rooms = (library, generation, slot, documents, projects, assistants, desk)
    house = Household(
        settings.data, shared=settings.lan, clock_ms=clock, new_id=new_id, passwords=QUICK
    )
    models = Models.over(settings.models, load_catalog(), settings.data / "cache", clock)
    finder = Finder(settings.data / "cache", StoredSource(store, settings.data))
    imports = Imports(settings.data / "cache/imports", clock_ms=clock, new_id=new_id)
    yield Services(settings, *rooms, house, models, finder, imports)
    imports.close()
    finder.close()
    models.close()


@pytest.fixture
def app(services):
    app = Flask(
        "webapp", template_folder=str(templates_folder()), static_folder=str(static_folder())
    )
    install(app, services)
    return app


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.fixture
def page(client, generation):
    return Page(client, generation)


@pytest.fixture
def ids(library):
    """Ids of the messages shown in a thread, oldest first."""
    return lambda thread_id: [each.message.id for each in library.view(thread_id).shown]


@pytest.fixture
def long_thread(library, store):
    """Makes a thread of `count` questions, one below the other, in one write."""

    def make(count):
        thread_id = library.create("Long").id
        parents = [None, *(f"line-{number}" for number in range(count))]
        lines = [
            new_message(
                id=f"line-{number}",
                thread_id=thread_id,
                role="user",
                text=f"Line {number}.",
                created_at=number + 1,
                metadata={"parentId": parents[number]},
            )
            for number in range(count)
        ]
        store.write(thread_id, [Put(line) for line in lines])
        return thread_id

    return make


class Crowded:
    """A thread whose window of 700 tokens has no room for its oldest messages: eight turns, the
    last of which is really asked and answered."""

    def __init__(self, page, library, store, compact):
        self.page, self.library = page, library
        self.id = library.create("Crowded").id
        parents = [None, *(f"turn-{number}" for number in range(14))]
        store.write(self.id, [Put(self._turn(at, parents[at])) for at in range(14)])
        library.set_window(
            self.id,
            {"max_context_tokens": 700, "max_output_tokens": 100, "auto_compact": compact},
        )
        page.ask(self.id, f"The newest question {'word ' * 30}")

    def _turn(self, number, parent):
        return new_message(
            id=f"turn-{number}",
            thread_id=self.id,
            role=("user", "assistant")[number % 2],
            text=f"Turn {number} {'word ' * 30}" if number else "The first question",
            created_at=number + 1,
            metadata={"parentId": parent},
        )

    def path(self):
        return self.library.path(self.id)

    def at(self, message):
        return f"/threads/{self.id}/messages/{message.id}"

    def wait_for_notes(self):
        """The message where they end."""
        pause = threading.Event()
        for _ in range(3000):
            found = [each for each in self.path() if summary_at(each)]
            if found and not self.page.generation.summaries.expected(self.id):
                return found[-1]
            pause.wait(0.005)
        raise AssertionError("no notes were made")


@pytest.fixture
def crowded(page, library, store):
    """Makes such a thread; `compact` says when notes are made."""
    return lambda compact="off": Crowded(page, library, store, compact)


class House:
    """A shared Strata: its owner has a thread, a project and a thread in the trash; the reader may
    read the first two, the writer write in them, the other nothing."""

    def __init__(self, app, services):
        self.app, self.library = app, services.library
        self.household = services.household
        self.household.shared = True
        self.ids, self._tokens = {}, {}
        self._come("owner", self.household.register.open_house())
        for who in ("reader", "writer", "other"):
            self._come(who, self.household.register.roll().access_code)
        own = {"owner": self.ids["owner"]}
        shares = {self.ids["reader"]: "read", self.ids["writer"]: "write"}
        self.project = services.projects.make("Private project", **own).id
        services.projects.share(self.project, shares)
        self.thread = self.library.create("Private thread", **own).id
        self.library.sharing.share(self.thread, shares)
        self.trashed = self.library.create("Trashed thread", **own).id
        self.library.delete(self.trashed)

    def _come(self, who, code):
        token = self.household.join(code, who, f"{who}'s password", Guest("127.0.0.1"))
        self._tokens[who] = token
        self.ids[who] = self.household.visit(token).member.id

    def client(self, who, *, anew=False):
        """`anew` signs in once more if the session has ended."""
        client = self.app.test_client()
        if anew and who in self._tokens and self.household.visit(self._tokens[who]) is None:
            guest = Guest("127.0.0.1")
            self._tokens[who] = self.household.sign_in(who, f"{who}'s password", guest)
        if who in self._tokens:
            client.set_cookie("strata_session_5100", self._tokens[who])
        return client

    def visiting(self, who):
        """A request of that person, being answered."""
        cookie = f"strata_session_5100={self._tokens[who]}"
        return self.app.test_request_context(
            "/", headers={"Host": "localhost:5100", "Cookie": cookie}
        )


@pytest.fixture
def house(app, services):
    return House(app, services)
