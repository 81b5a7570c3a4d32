"""The start page, the state of the model, and the choice of light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp.threads.store import TrashedThread
from webapp.web import first_steps
from webapp.web.access import readable
from webapp.web.rendering import THEME_COOKIE, THEMES, done, fragment, page
from webapp.web.services import services
from webapp.web.things import of_trashed

bp = Blueprint("home", __name__)

EXAMPLES = (
    "Explain how tides work, for a curious ten-year-old.",
    "Write a Python function that finds duplicate files in a folder.",
    "Help me plan a quiet weekend with two rainy days.",
    "What questions should I ask before signing a lease?",
)
ONE_YEAR_SECONDS = 365 * 24 * 3600


@bp.get("/")
def start() -> Response:
    """`?draft=` fills the composer; `?trashed=` offers to undo that deletion; `?assistant=` is
    the one to begin with."""
    gone = request.args.get("trashed")
    found = readable(services().library.trash(), of_trashed) if gone else []
    trashed = [each for each in found if each.id == gone]
    return start_page(draft=request.args.get("draft", ""), trashed=trashed[0] if trashed else None)


def start_page(
    *,
    draft: str,
    trashed: TrashedThread | None = None,
    told: Sequence[str] = (),
    status: int = 200,
) -> Response:
    """`told` says why files were not taken."""
    shown: dict[str, Any] = {"draft": draft, "trashed": trashed, "told": told, "examples": EXAMPLES}
    shown |= {"assistants": services().assistants.usable(), "chosen": _assistant_chosen()}
    shown["steps"] = first_steps.steps()
    return page("home", status=status, folder=services().settings.data, **shown)


def _assistant_chosen() -> str:
    """The one that `?assistant=` names, or the default; empty for none at all."""
    wanted = request.args.get("assistant")
    if wanted == "":
        return ""
    assistants = services().assistants
    return ((assistants.find(wanted) if wanted else None) or assistants.default()).id


@bp.get("/model")
def model_state() -> str:
    return fragment("model_state", model=services().engine.describe())


@bp.post("/theme")
def choose_theme() -> Response:
    chosen = request.form.get("theme", "")
    response = done(own_path(request.form.get("back", "")))
    if chosen in THEMES:
        response.set_cookie(THEME_COOKIE, chosen, max_age=ONE_YEAR_SECONDS, samesite="Lax")
    return response


def own_path(wanted: str) -> str:
    """A path on this server, whatever was asked for."""
    local = wanted.startswith("/") and not wanted.startswith(("//", "/\\"))
    return wanted if local and wanted.isprintable() else url_for("home.start")
