"""A real request for every route: what stands in its address is really there, made anew for each
call of those that change something."""

import itertools
from io import BytesIO

from flask import url_for

from tests.web.cited_answers import answer
from webapp.chat.messages import new_message
from webapp.chat.records import Put
from webapp.chat.summary import Line, Summary, kept_summary
from webapp.people.household import Guest

HOST = "localhost:5100"
SENT = [{"role": "user", "message": "q1"}]
NOTES = kept_summary(Summary((Line("Noted", ("q1",)),), (("q1", "q1"),), 1, "scripted"))
# Of which message of the thread, where it is not the first answer.
MESSAGES = {
    "messages.answer": "q3",
    "editing.resume": "a2",
    "messages.stop": "a2",
    "messages.ask": "q3",
}
QUERIES = {
    "threads.earlier": {"before": "q2", "above": "2"},
    "changes.as_of": {"at": "1767225600001"},
    "documents.found": {"q": "notice"},
    "documents.found_in_one": {"q": "notice"},
    "project_files.found": {"q": "notice"},
    "project_files.found_in_one": {"q": "notice"},
    "news.since": {"after": "q1"},
    "tree.compare": {"with": "a1"},
}
FORMS = {
    "account.change": {"old": "{who}'s password", "new": "{who}'s password"},
    "door.enter": {"name": "{who}", "password": "{who}'s password"},
    "door.join": {"name": "Newcomer {number}", "password": "a password", "code": "{code}"},
    "assistants.make": {"name": "Made"},
    "assistants.save": {"name": "Saved", "known": "{revision}"},
    "assistants.preview": {"instructions": "Be brief."},
    "editing.edit": {"text": "Other words"},
    "editing.mark": {"name": "A name"},
    "editing.undo": {"message": "a1"},
    "home.choose_theme": {"theme": "dark"},
    "marks.mute": {"on": "yes"},
    "marks.pin": {"on": "yes"},
    "messages.ask": {"text": "/echo Asked"},
    "messages.switch": {"message": "a2"},
    "model_window.refresh": {"text": "draft"},
    "model_window.save": {"max_output_tokens": "300"},
    "notes.edit": {"text": "Written anew"},
    "projects.add": {"thread": "{thread}"},
    "projects.begin": {"text": "/echo Begun"},
    "projects.change": {"name": "Changed"},
    "projects.make": {"name": "Made"},
    "projects.move": {"project": ""},
    "sharing.share": {"all": "read"},
    "project_sharing.share": {"all": "read"},
    "thread_assistant.choose": {"assistant": ""},
    "threads.begin": {"text": "/echo Begun"},
    "threads.rename": {"title": "Renamed"},
    "trash.empty": {"until": "1"},
    "documents.choose_use": {"use": "inline"},
    "project_files.choose_use": {"use": "inline"},
}
FILES = ("documents.attach", "project_files.attach", "beginning.attach")


def conversation(thread_id):
    """Two turns, the second stopped, and a question without an answer."""

    def line(id, role, parent, **facts):
        at = 1_767_225_600_000 + int(id[1]) * 10 + (role == "assistant")
        facts.setdefault("text", f"Text of {id}")
        metadata = {"parentId": parent}
        return new_message(
            id=id, thread_id=thread_id, role=role, created_at=at, metadata=metadata, **facts
        )

    cited = answer(thread_id=thread_id, id="a1", parentId="q1", **NOTES)
    cited.metadata["usage"]["sent"] = SENT
    stopped = line("a2", "assistant", "q2", status="stopped")
    return [
        line("q1", "user", None),
        cited,
        line("q2", "user", "a1"),
        stopped,
        line("q3", "user", "a2"),
    ]


class Calls:
    """Of the people of a `House`, each with what its address and form name."""

    def __init__(self, house, services, store):
        self._house, self._services, self._store = house, services, store
        self._numbers = itertools.count(1)
        # The real one needs a real socket.
        house.app.view_functions["route"] = lambda **_: ("", 101)
        self._own = {"owner": house.ids["owner"]}
        self._shares = {house.ids["reader"]: "read", house.ids["writer"]: "write"}

    def made(self, endpoint):
        """Fresh things for one call, by the names that addresses have for them."""
        ids = {"filename": "favicon.svg", "number": 1, "act": "edit"}
        ids["message_id"] = MESSAGES.get(endpoint, "a1")
        named = self._named(endpoint)
        if "project_id" in named:
            ids["project_id"] = self._project()
        if "thread_id" in named or endpoint == "projects.add":
            ids["thread_id"] = self._thread(ids.get("project_id", ""), endpoint)
        if "file_id" in named:
            ids["file_id"] = self._file(ids)
        if "assistant_id" in named:
            ids["assistant_id"] = self._services.assistants.make({"name": "One"}).id
        if named & {"person_id", "session_id"}:
            ids["person_id"], ids["session_id"] = self._guest()
        if "change_id" in named:
            self._services.library.rename(ids["thread_id"], "To be undone")
            ids["change_id"] = self._services.library.past.changes(ids["thread_id"])[0].id
        return ids

    def status(self, endpoint, method, ids, who):
        """What `who` is told, as a browser without a script."""
        client = self._house.client(who, anew=True)
        with self._house.app.test_request_context(headers={"Host": HOST}):
            in_path = {name: ids[name] for name in self._named(endpoint)}
            address = url_for(endpoint, **in_path, **QUERIES.get(endpoint, {}))
        headers = {"Host": HOST, "Origin": f"http://{HOST}"}
        if endpoint == "route":
            headers |= {"Upgrade": "websocket", "Connection": "Upgrade"}
        form = self._form(endpoint, ids, who) if method == "POST" else None
        response = client.open(address, method=method, headers=headers, data=form)
        response.close()
        to_the_door = response.status_code == 303 and response.location.startswith("/login?to=")
        return 401 if to_the_door else response.status_code

    # --- inside ---

    def _named(self, endpoint):
        """What its address names."""
        return next(self._house.app.url_map.iter_rules(endpoint)).arguments

    def _project(self):
        made = self._services.projects.make("Private project", **self._own)
        self._services.projects.share(made.id, self._shares)
        return made.id

    def _thread(self, project, endpoint):
        library = self._services.library
        within = project if endpoint == "projects.take_out" else ""
        thread = library.create("Private thread", project_id=within, **self._own)
        self._store.write(thread.id, [Put(each) for each in conversation(thread.id)])
        if endpoint == "threads.restore":
            library.delete(thread.id)
            return thread.id
        library.sharing.share(thread.id, self._shares)
        if endpoint == "editing.undo":
            library.acts.mark(thread.id, "a1", name="A name", starred=False)
        return thread.id

    def _file(self, ids):
        documents, project = self._services.documents, ids.get("project_id")
        scope = documents.project(project) if project else documents.thread(ids["thread_id"])
        stored = documents.add(scope, "notice.txt", BytesIO(b"Ninety days of notice."), 22)
        documents.wait_over(scope, 30)
        return stored.state.id

    def _guest(self):
        register = self._services.household.register
        name = f"Guest {next(self._numbers)}"
        guest = Guest("127.0.0.1")
        token = self._services.household.join(register.invite(), name, "guest's password", guest)
        visit = self._services.household.visit(token)
        return visit.member.id, visit.session.id

    def _form(self, endpoint, ids, who):
        if endpoint == "importing.send":
            return {"file": (BytesIO(b"[]"), "conversations.json")}
        if endpoint in FILES:
            return {"files": (BytesIO(b"Words"), f"words-{next(self._numbers)}.txt")}
        known = {"who": who, "number": next(self._numbers), "thread": ids.get("thread_id")}
        if endpoint == "door.join":
            known["code"] = self._services.household.register.invite()
        if endpoint == "assistants.save":
            known["revision"] = self._services.assistants.get(ids["assistant_id"]).revision
        form = FORMS.get(endpoint, {})
        return {name: value.format(**known) for name, value in form.items()}
