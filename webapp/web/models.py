"""The page of models: fetched, checked, chosen, measured, removed; and of servers elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, request, url_for

from webapp.engines.openai_http import OpenAIHttpEngine
from webapp.engines.openai_probe import Finding, probe
from webapp.engines.own_files import taken_in, target_of
from webapp.engines.shelf import Item
from webapp.errors import BadInput, Conflict, StrataError
from webapp.settings import checked_value
from webapp.web import models_shown
from webapp.web.errors import status_of
from webapp.web.rendering import done, fragment, page
from webapp.web.services import services

bp = Blueprint("models", __name__, url_prefix="/models")

_SETTING = {"chat": "model", "embedding": "embedder"}


@bp.get("")
def show() -> Response:
    return _shown(told=request.args.get("told", "")[:200])


@bp.get("/board")
def board() -> str:
    return fragment("models_board", board=_board(), model=services().engine.describe())


@bp.post("/fetch")
def fetch() -> Response:
    """By a name of the catalogue or of the hub, or on with what an earlier run began (`file`)."""
    lane, file = services().models.lane, request.form.get("file", "")
    origin = request.form.get("name", "").strip()
    return _after(lambda: lane.go_on(file) if file else lane.fetch(origin), name=origin)


@bp.post("/pause")
def pause() -> Response:
    return _after(lambda: services().models.lane.pause(_file()))


@bp.post("/cancel")
def cancel() -> Response:
    """What came of a download is deleted."""
    return _after(lambda: services().models.lane.cancel(_file()))


@bp.post("/dismiss")
def dismiss() -> Response:
    return _after(lambda: services().models.lane.dismiss(_file()))


@bp.post("/verify")
def verify() -> Response:
    return _after(lambda: services().models.lane.verify(_item()))


@bp.post("/files")
def take_in() -> Response:
    def act() -> None:
        models, typed = services().models, request.form.get("path", "")
        models.lane.refuse_if_fetching(target_of(models.shelf, typed).name)
        taken_in(models.shelf, typed)

    return _after(act, path=request.form.get("path", ""), told="It is here now.")


@bp.post("/use")
def use() -> Response:
    """For answers or for passages, as its role is."""
    item = _item()
    if item.role not in _SETTING or item.state != "present":
        raise BadInput(f"{item.title} cannot be used as it is.", do="Fetch it first.")
    name = _SETTING[item.role]
    told = f"{item.title} answers from the next question on."
    if name == "embedder":
        told = (
            f"{item.title} will be used from the next start of Strata. Your files are then "
            "embedded again in the background, and can be searched meanwhile."
        )
    return _after(lambda: services().settings_desk.save({name: item.name}), told=told)


@bp.post("/load")
def load() -> Response:
    return _after(services().engine.load)


@bp.post("/unload")
def unload() -> Response:
    return _after(services().engine.unload)


@bp.post("/speed")
def speed() -> Response:
    return _after(lambda: services().models.speeds.begin(services().engine))


@bp.get("/removal")
def ask_removal() -> Response:
    item = _item()
    return page("model_removal", item=item, is_used=_is_used(item), is_chosen=_is_chosen(item))


@bp.post("/removal")
def remove() -> Response:
    item = _item()
    if _is_used(item) or _is_chosen(item):
        raise Conflict(
            f"{item.title} is in use, or chosen for the next start.",
            do="Choose another model first.",
        )
    lane = services().models.lane
    lane.cancel(item.path.name)
    services().models.shelf.remove(item)
    return done(url_for("models.show", told=f"{item.title} was deleted."))


@bp.post("/server")
def try_server() -> Response:
    """A server elsewhere is tried with what was typed; nothing is saved by that."""
    held = services().settings
    try:
        typed = {
            name: checked_value(name, request.form.get(name, "").strip())
            for name in ("base_url", "model", "embedder")
        }
        key = request.form.get("api_key", "").strip() or held.api_key
        engine = OpenAIHttpEngine(
            typed["base_url"], typed["model"], typed["embedder"], key=key, context_tokens=8192
        )
    except StrataError as error:
        return _shown(findings=[Finding(False, str(error))], status=status_of(error))
    try:
        return _shown(findings=probe(engine, embedder=typed["embedder"]))
    finally:
        engine.close()


# --- inside ---


def _shown(
    *,
    told: str = "",
    problem: str = "",
    name: str = "",
    path: str = "",
    findings: list[Finding] | None = None,
    status: int = 200,
) -> Response:
    return page(
        "models",
        status=status,
        board=_board(),
        told=told,
        problem=problem,
        name=name,
        path=path,
        findings=findings,
        folder=services().models.shelf.folder,
        held=services().settings,
        typed=request.form,
    )


def _board() -> models_shown.Board:
    wanted = services().settings_desk.reload().settings
    can_load = services().engine.can_load
    return models_shown.board(services().models, services().settings, wanted, can_load=can_load)


def _after(
    act: Callable[[], object], *, told: str = "", name: str = "", path: str = ""
) -> Response:
    """The page as it is after `act`, with the sentence if it was refused."""
    try:
        act()
    except StrataError as error:
        return _shown(problem=str(error), name=name, path=path, status=status_of(error))
    return done(url_for("models.show", told=told or None))


def _file() -> str:
    return request.form.get("file", "")


def _item() -> Item:
    """The one that the request names. Raises NotFound."""
    models = services().models
    return models.shelf.item(models.catalog, request.values.get("name", ""))


def _is_used(item: Item) -> bool:
    return item.path.name in models_shown.in_use(services().models, services().settings)


def _is_chosen(item: Item) -> bool:
    wanted = services().settings_desk.reload().settings
    return item.path.name in models_shown.in_use(services().models, wanted)
