"""Where the reader is. A page's script keeps the time zone of its browser in a cookie, for a phone
may stand elsewhere than the server; without a script it is the server's own zone."""

from __future__ import annotations

from flask import Flask, request

from webapp.generation.day import read_in

ZONE_COOKIE = "strata_zone"


def install(app: Flask) -> None:
    @app.before_request
    def note() -> None:
        read_in(request.cookies.get(ZONE_COOKIE, ""))
