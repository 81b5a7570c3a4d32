"""A shared Strata with something of everything in it, so that its pages show all that they can."""

from io import BytesIO

from tests.documents.taking_in import SECONDS
from tests.web.calls import SENT
from tests.web.cited_answers import answer
from webapp.chat.messages import new_message
from webapp.chat.records import Put
from webapp.chat.summary import Line, Summary, edited, kept_failure, kept_summary

NOTHING = b"\x00\x01"
NOTES = Summary((Line("Noted", ("q1",)),), (("q1", "q1"),), 1, "scripted")


class FullHouse:
    """What the owner has may be read by the reader and written by the writer. `starts` are
    addresses that no link leads to: pages as they look after an act."""

    def __init__(self, house, services, store, model, crowded):
        self._house, self._services, self._store = house, services, store
        self._shares = {house.ids["reader"]: "read", house.ids["writer"]: "write"}
        self.starts = ["/", f"/?trashed={house.trashed}", "/assistants?deleted=one", "/trash"]
        self.starts += ["/search?q=text", "/account"]
        self._fill_window(crowded)
        thread = self._fill_thread()
        self._fill_project(house.project)
        documents = services.documents
        scopes = (documents.thread(thread), documents.project(house.project))
        for scope in scopes:
            self._attach(scope, "notice.txt", b"Ninety days of notice.")
            self._attach(scope, "broken.pdf", NOTHING)
            documents.wait_over(scope, SECONDS)
        model.gate.clear()
        for scope in scopes:
            self._attach(scope, "being-read.txt", b"Water the tomatoes.")

    # --- inside ---

    def _fill_window(self, crowded):
        """Its oldest messages are left out, and notes on them failed."""
        self._house.household.shared = False
        made = crowded("off")
        self._house.household.shared = True
        library = self._services.library
        library.sharing.share(made.id, self._shares)
        reason = kept_failure("The model wrote nothing.", 1, "scripted")
        library.marks.keep(made.id, made.path()[1].id, reason)
        self.starts.append(f"/threads/{made.id}")

    def _fill_thread(self):
        library = self._services.library
        id = library.create("Private thread", owner=self._house.ids["owner"]).id
        at = f"/threads/{id}"
        self._store.write(id, [Put(each) for each in _conversation(id)])
        library.sharing.share(id, self._shares)
        library.acts.mark(id, "q1", name="A branch", starred=True)
        library.set_window(id, {"max_output_tokens": 300})
        change = library.past.changes(id)[0].id
        self.starts += [f"{at}{more}" for more in ("", "?undo=q1", "?at=b1", "?before=q2")]
        self.starts += [f"{at}/{page}?saved={change}" for page in ("assistant", "window/settings")]
        self.starts += [f"{at}/files?q=notice", f"{at}/messages/a1/compare?with=b1"]
        return id

    def _fill_project(self, id):
        projects, library = self._services.projects, self._services.library
        owner = {"owner": self._house.ids["owner"]}
        projects.change(id, "Private project", "Be brief.")
        projects.make("Another project", **owner)
        library.create("The writer's own", owner=self._house.ids["writer"])
        inside = library.create("In the project", project_id=id, **owner)
        self._services.generation.ask(inside.id, "/hold")
        self.starts.append(f"/threads/{inside.id}")

    def _attach(self, scope, name, data):
        self._services.documents.add(scope, name, BytesIO(data), len(data))


def _conversation(thread_id):
    """A cited answer with notes and a version that was not compared, one that was stopped, and a
    question without an answer."""

    def line(id, parent, at, role="user", **facts):
        facts.setdefault("text", f"Text of {id}")
        return new_message(
            id=id,
            thread_id=thread_id,
            role=role,
            created_at=at,
            metadata={"parentId": parent},
            **facts,
        )

    compared = answer(
        thread_id=thread_id, id="a1", parentId="q1", **kept_summary(edited(NOTES, "By hand"))
    )
    compared.metadata["usage"]["sent"] = SENT
    return [
        line("q1", None, 1),
        answer(thread_id=thread_id, id="b1", parentId="q1", grounding=None),
        compared.with_fields(created_at=3),
        line("q2", "a1", 4),
        line("a2", "q2", 5, "assistant", status="stopped"),
        line("q3", "a2", 6),
    ]
