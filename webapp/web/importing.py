"""Bringing in the threads of another program: look first, then bring in."""

from __future__ import annotations

import os
from pathlib import Path

from flask import Blueprint, Response, request

from webapp.errors import BadInput
from webapp.web.rendering import page
from webapp.web.services import services

bp = Blueprint("importing", __name__)

# Where Jan keeps its data on each system, below the folder of settings or of the person.
JAN_FOLDERS = (
    ("APPDATA", "Jan/data"),
    ("XDG_CONFIG_HOME", "Jan/data"),
    ("HOME", ".config/Jan/data"),
    ("HOME", "Library/Application Support/Jan/data"),
    ("HOME", "jan"),
)


@bp.get("/import")
def show() -> Response:
    return page("import", folder=str(jan_folder() or ""), done=None, dry=True)


@bp.post("/import")
def bring_in() -> Response:
    """`step=look` only counts; `step=bring` does it. The folder is one of this machine."""
    wanted = request.form.get("folder", "").strip()
    if not wanted or "\0" in wanted:
        raise BadInput("No folder was named.", do="Type where Jan keeps its data.")
    dry = request.form.get("step") != "bring"
    data = services().settings.data
    done = services().library.bring_in_jan(Path(wanted).expanduser(), data, dry=dry)
    return page("import", folder=wanted, done=done, dry=dry)


def jan_folder() -> Path | None:
    """Where Jan's threads are on this machine, if they are in a usual place."""
    places = [Path(os.environ[name]) / rest for name, rest in JAN_FOLDERS if os.environ.get(name)]
    return next((place for place in places if (place / "threads").is_dir()), None)
