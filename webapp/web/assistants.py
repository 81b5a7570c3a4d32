"""Assistants: the list, the editor with its preview, copies, the default, deletion and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from flask import Blueprint, Response, request, url_for

from webapp.chat.assistant import BUILT_IN, Assistant, checked
from webapp.chat.parameters import PARAMETERS, chosen, usual
from webapp.errors import BadInput, Conflict, StrataError
from webapp.web.errors import status_of
from webapp.web.rendering import done, fragment, leave_for, page
from webapp.web.services import services

bp = Blueprint("assistants", __name__, url_prefix="/assistants")

_NEW: Final = Assistant({"name": "", "avatar": "", "parameters": usual()})


@dataclass(frozen=True)
class Editor:
    """What the form shows: an assistant's own words, or those that a person typed. `known` is the
    revision they began with; `id` is empty for a new one."""

    id: str
    known: str
    name: str
    icon: str
    instructions: str
    typed: Mapping[str, str] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """The instructions as the model would get them now."""
        return services().generation.window.told(self.instructions)

    def fields(self) -> dict[str, object]:
        """Raises BadInput."""
        words = {"name": self.name, "icon": self.icon, "instructions": self.instructions}
        return checked(**words, typed=self.typed)


@bp.get("")
def listed() -> Response:
    """`?saved=` names an assistant that was just saved; `?deleted=` what can be put back."""
    found = services().assistants
    return page(
        "assistants",
        entries=found.all(),
        default=found.default(),
        saved=found.find(request.args.get("saved", "")),
        deleted=request.args.get("deleted", ""),
    )


@bp.get("/new")
def new() -> Response:
    return _editor(_shown(_NEW))


@bp.post("")
def make() -> Response:
    editor = _typed()
    try:
        made = services().assistants.make(editor.fields())
    except BadInput as error:
        return _editor(editor, error)
    return leave_for(url_for("assistants.listed", saved=made.id))


@bp.get("/<assistant_id>/edit")
def edit(assistant_id: str) -> Response:
    return _editor(_shown(services().assistants.get(assistant_id)))


@bp.post("/<assistant_id>/edit")
def save(assistant_id: str) -> Response:
    editor = _typed(assistant_id)
    found = services().assistants
    try:
        saved = found.edit(assistant_id, editor.fields(), known=editor.known)
    except Conflict as error:
        return _editor(_typed(assistant_id, found.get(assistant_id).revision), error)
    except BadInput as error:
        return _editor(editor, error)
    return leave_for(url_for("assistants.listed", saved=saved.id))


@bp.post("/preview")
def preview() -> Response:
    """What the model would be told, while it is typed; without a script the whole form again."""
    editor = _typed(request.form.get("id", ""))
    if not request.headers.get("HX-Request"):
        return _editor(editor)
    return done("", lambda: fragment("assistant_preview", told=editor.told))


@bp.post("/<assistant_id>/copy")
def copy(assistant_id: str) -> Response:
    made = services().assistants.copy(assistant_id)
    return leave_for(url_for("assistants.edit", assistant_id=made.id))


@bp.post("/<assistant_id>/default")
def make_default(assistant_id: str) -> Response:
    chosen = services().assistants.choose_default(assistant_id)
    return leave_for(url_for("assistants.listed", saved=chosen.id))


@bp.post("/<assistant_id>/deletion")
def delete(assistant_id: str) -> Response:
    name = services().assistants.delete(assistant_id)
    return leave_for(url_for("assistants.listed", deleted=name))


@bp.post("/restoration")
def restore() -> Response:
    restored = services().assistants.restore(request.form.get("name", ""))
    return leave_for(url_for("assistants.listed", saved=restored))


def asked_for() -> Assistant | None:
    """The one that a form chose, in its field `assistant`: empty means none, no such field means
    the default. Raises NotFound for one that is gone."""
    wanted = request.form.get("assistant")
    if wanted is None:
        return services().assistants.default()
    return services().assistants.get(wanted) if wanted else None


def is_as_built_in(assistant_id: str) -> bool:
    """Whether there is nothing to delete: the built-in one, as it came."""
    return services().assistants.is_as_built_in(assistant_id)


def _shown(assistant: Assistant) -> Editor:
    numbers = {name: str(value) for name, value in chosen(assistant.parameters).items()}
    icon = assistant.icon if assistant.data.get("avatar") else ""
    known = assistant.revision if assistant.id else ""
    return Editor(assistant.id, known, assistant.name, icon, assistant.instructions, typed=numbers)


def _typed(assistant_id: str = "", known: str | None = None) -> Editor:
    sent = request.form.get
    return Editor(
        assistant_id,
        known if known is not None else sent("known", ""),
        sent("name", ""),
        sent("icon", ""),
        sent("instructions", "").replace("\r\n", "\n"),
        {each.name: sent(each.name, "") for each in PARAMETERS},
    )


def _editor(editor: Editor, problem: StrataError | None = None) -> Response:
    return page(
        "assistant",
        status=status_of(problem) if problem else 200,
        editor=editor,
        problem=problem,
        parameters=PARAMETERS,
        built_in=editor.id == BUILT_IN.id,
    )
