"""What each route asks of who calls it: one line a route. A route that is not here is closed to
everybody on a shared Strata, and a test fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from webapp.people.permission import Action

Whose = Literal["door", "lists", "house", "assistants", "thread", "project", "trashed"]


@dataclass(frozen=True)
class Rule:
    """`whose` says by which id in the address the thing is found, if it is one of many."""

    action: Action
    whose: Whose


_OF_FILES: Final = {
    "read": "show listed chips found one found_in_one original text",
    "write": "attach cancel retry read_again choose_use ask_removal remove",
}
_TABLE: Final[Mapping[tuple[Action, Whose], str]] = {
    ("read", "door"): "static door.ask door.enter door.ask_code door.join",
    ("read", "lists"): (
        "home.start home.model_state home.choose_theme threads.all_threads projects.all_of_them"
        " search.show search.near search.in_files"
        " taking_along.show taking_along.file taking_along.progress"
        " importing.show importing.state"
        " trash.show trash.ask door.leave"
        " account.show account.change account.leave_everywhere"
    ),
    # What is made or emptied here is one's own.
    ("write", "lists"): (
        "threads.begin beginning.attach projects.make trash.empty first_steps.over"
        " first_steps.sample importing.send importing.bring importing.drop"
    ),
    ("read", "assistants"): "assistants.listed assistants.preview",
    ("write", "assistants"): (
        "assistants.copy assistants.delete assistants.edit assistants.make"
        " assistants.make_default assistants.new assistants.restore assistants.save"
    ),
    ("own", "house"): (
        "settings.show settings.save importing.look_into"
        " models.show models.board models.fetch models.pause models.cancel models.dismiss"
        " models.verify models.take_in models.use models.load models.unload models.speed"
        " models.ask_removal models.remove models.try_server"
        " share.show share.invite share.renew share.close share.end share.ask_removal share.remove"
    ),
    ("read", "thread"): (
        "threads.show threads.earlier threads.title messages.foot messages.source"
        " news.since editing.acts_page editing.acts_panel editing.message editing.fork"
        " tree.compare tree.whole sent.show sent.as_json sent.left_out"
        " citations.card citations.show citations.sources notes.card"
        " exporting.show exporting.file"
        " model_window.settings model_window.refresh thread_assistant.show route"
    ),
    # Earlier states hold what was deleted: for who may write. Taking back may move the thread.
    ("write", "thread"): (
        "threads.rename messages.ask messages.answer messages.regenerate messages.switch"
        " messages.stop editing.act_page editing.act_form editing.edit editing.resume"
        " editing.delete editing.undo editing.mark"
        " citations.compare marks.mute marks.pin"
        " notes.show notes.form notes.again notes.edit notes.remove notes.revert notes.write"
        " model_window.save thread_assistant.choose changes.recent changes.as_of"
    ),
    ("own", "thread"): "threads.delete projects.move changes.undo sharing.show sharing.share",
    ("own", "trashed"): "threads.restore",
    ("read", "project"): "projects.show",
    ("write", "project"): "projects.change projects.begin projects.add projects.take_out",
    ("own", "project"): (
        "projects.ask_removal projects.remove project_sharing.show project_sharing.share"
    ),
}


def _rules() -> Iterator[tuple[str, Rule]]:
    for (action, whose), endpoints in _TABLE.items():
        for endpoint in endpoints.split():
            yield endpoint, Rule(action, whose)
    for word, names in _OF_FILES.items():
        right: Action = "write" if word == "write" else "read"
        for name in names.split():
            yield f"documents.{name}", Rule(right, "thread")
            yield f"project_files.{name}", Rule(right, "project")


RULES: Final[Mapping[str, Rule]] = dict(_rules())
