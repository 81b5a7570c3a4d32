"""The one place that maps errors to HTTP statuses and shows them.

htmx gets a notice for `#notices` and leaves the page as it was; a browser gets a page. What a
person typed is never lost: a refused form shows its text again.
"""

from __future__ import annotations

import logging

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, SecurityError

from webapp import errors
from webapp.web.rendering import fragment, page, wants_fragment

log = logging.getLogger(__name__)

STATUSES: dict[type[errors.StrataError], int] = {
    errors.NotFound: 404,
    errors.BadInput: 422,
    errors.BadSetting: 422,
    errors.Conflict: 409,
    errors.Damaged: 409,
    errors.AlreadyRunning: 409,
    errors.Forbidden: 403,
    errors.NotAllowed: 403,
    errors.TooOften: 429,
    errors.Busy: 503,
    errors.EngineFailed: 503,
    errors.DownloadFailed: 502,
    errors.StorageFailed: 507,
}
_SENTENCES = {
    403: ("That is not allowed from here.", "Open Strata at the address it printed."),
    404: ("There is nothing at this address.", "Go to the start page, or choose a thread."),
    405: ("This address cannot be used that way.", "Go to the start page."),
    413: ("That is more than one message can hold.", "Shorten it, or send it in parts."),
}
# Where another sentence fits better, by endpoint.
_TOO_MANY_FILES = (
    "That is more than can be attached at once.",
    "Attach fewer files, or smaller ones; your text is kept.",
)
_SENTENCES_OF = {
    ("documents.attach", 413): _TOO_MANY_FILES,
    ("project_files.attach", 413): _TOO_MANY_FILES,
    ("beginning.attach", 413): _TOO_MANY_FILES,
}
FAULT = (
    "Something went wrong in Strata itself.",
    "Nothing of yours was removed. Try again; the log has the details.",
)


def install(app: Flask) -> None:
    app.register_error_handler(errors.StrataError, told)
    app.register_error_handler(HTTPException, refused)
    app.register_error_handler(Exception, failed)


def status_of(error: errors.StrataError) -> int:
    """By the nearest class in `STATUSES`."""
    return next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), 500)


def told(error: errors.StrataError) -> Response:
    status = status_of(error)
    if status >= 500:
        log.warning("%s %s: %s", request.method, request.path, error)
    if isinstance(error, errors.Forbidden):
        return _bare(status, str(error))
    answer = _shown(status, error.what, error.do)
    if isinstance(error, errors.TooOften):
        answer.headers["Retry-After"] = str(error.seconds)
    return answer


def refused(error: HTTPException) -> Response:
    status = error.code or 500
    what, do = _SENTENCES_OF.get(
        (request.endpoint or "", status),
        _SENTENCES.get(status, (f"{error.name}.", "Go back, or to the start page.")),
    )
    if status == 403 or isinstance(error, SecurityError):
        return _bare(status, f"{what} {do}")
    return error.get_response() if status < 400 else _shown(status, what, do)  # type: ignore[return-value]


def failed(error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return _shown(500, *FAULT)


def _shown(status: int, what: str, do: str) -> Response:
    if not wants_fragment():
        return page("error", status=status, what=what, do=do, code=status, text=_typed())
    notice = fragment("notice", what=what, do=do, kind="error")
    headers = {"HX-Retarget": "#notices", "HX-Reswap": "innerHTML"}
    response = Response(notice, status, headers, mimetype="text/html")
    response.vary.add("HX-Request")
    return response


def _bare(status: int, words: str) -> Response:
    """No page for whoever may not be here: around a page stand the titles of all threads."""
    return Response(f"{words}\n", status, mimetype="text/plain")


def _typed() -> str:
    """What was to be sent, so that it can be copied from the page that refused it."""
    try:
        return request.form.get("text", "") if request.method == "POST" else ""
    except HTTPException:
        return ""
