"""The page of all settings: found, explained, changed, put back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp.backups import note
from webapp.errors import BadInput, BadSetting, StrataError
from webapp.settings import SETTINGS, checked_value
from webapp.web import settings_shown
from webapp.web.errors import status_of
from webapp.web.rendering import leave_for, page
from webapp.web.services import services
from webapp.web.settings_shown import Field, effect_of, fields, grouped, label_of

bp = Blueprint("settings", __name__, url_prefix="/settings")

_LONGEST = 1000
_BY_NAME = {setting.name: setting for setting in SETTINGS}


@bp.get("")
def show() -> Response:
    """`?q=` leaves those that have its words; `?saved=` names what was just saved."""
    return _shown(saved=[name for name in request.args.getlist("saved") if name in _BY_NAME])


@bp.post("")
def save() -> Response:
    """What differs from what was shown is saved, all of it or nothing; with `reset` that one
    setting gets its default back, and the fields are left alone."""
    back = request.form.get("reset", "")
    try:
        values = {_known(back): None} if back else _changed()
        if values:
            services().settings_desk.save(values)
    except _Refused as refused:
        return _shown(problems=refused.problems, status=422)
    except StrataError as error:
        return _shown(problem=str(error), status=status_of(error))
    query = request.form.get("q", "")
    return leave_for(url_for("settings.show", saved=[*values] or "nothing", q=query or None))


def _shown(
    *,
    saved: list[str] | None = None,
    problems: Mapping[str, str] | None = None,
    problem: str = "",
    status: int = 200,
) -> Response:
    desk, query = services().settings_desk, request.values.get("q", "").strip()[:_LONGEST]
    loaded = desk.reload()
    every = fields(loaded, services().settings)
    if request.method == "POST":
        every = settings_shown.typed_again(every, request.form, problems or {})
    found = [field for field in every if field.problem or field.matches(query)]
    return page(
        "settings",
        status=status,
        query=query,
        groups=grouped(found),
        complaints=loaded.complaints,
        waiting=[field for field in every if field.waits],
        saved=[(label_of(name), effect_of(name)) for name in saved or ()],
        problem=problem or ("Nothing was saved: see below." if problems else ""),
        file=desk.file.path,
        last_backup=note.read(services().settings.data),
    )


class _Refused(Exception):
    """Sentences by the name of the field."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__()
        self.problems = problems


def _known(name: str) -> str:
    if name not in _BY_NAME:
        raise BadSetting(f"There is no setting “{name[:40]}”.", do="Choose one from this page.")
    return name


def _changed() -> dict[str, Any]:
    """Values by name. Raises _Refused with all that is wrong."""
    shown = {each.name: each for each in fields(services().settings_desk.reload(), _in_use())}
    values, problems = {}, {}
    for name, typed in request.form.items():
        field = shown.get(name)
        if field is None or _is_unchanged(field, typed.strip()):
            continue
        try:
            values[name] = _value(field, typed.strip())
        except StrataError as error:
            problems[name] = str(error)
    if problems:
        raise _Refused(problems)
    return values


def _in_use() -> Any:
    return services().settings


def _is_unchanged(field: Field, typed: str) -> bool:
    return not typed if field.secret else typed == field.value


def _value(field: Field, typed: str) -> Any:
    if len(typed) > _LONGEST or not typed.isprintable():
        raise BadInput(
            f"{field.label} has characters that a setting cannot have.", do="Type it again."
        )
    number = isinstance(_BY_NAME[field.name].default, int | float)
    if number and not field.choices:
        typed = typed.replace(",", "").replace(" ", "").replace("_", "")
    if not typed and field.allowed == "a folder":
        raise BadSetting(f"{field.label} cannot be empty.", do="Type a folder, or reset it.")
    return checked_value(field.name, typed)
