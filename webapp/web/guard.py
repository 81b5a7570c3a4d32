"""Who may talk to this server at all, and what a page of ours may do. First of all checks.

A browser tells where a request comes from: by its Host (a foreign name that was bent to this
machine still stands there), by `Sec-Fetch-Site` and by `Origin`; what is there must agree. Programs
without a browser send neither and are not what these checks are about; they must name the Host.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from flask import Flask, Response, request

from webapp.errors import Forbidden

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
LARGEST_FORM_BYTES = 2**20
MOST_FORM_FIELDS = 64

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        # Also what keeps a picture in an answer from telling another server that it was read.
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
READING = ("GET", "HEAD", "OPTIONS")


def install(app: Flask, hosts: Iterable[str] = ()) -> None:
    """`hosts` are names this server goes by beside those of the own machine, without port."""
    allowed = frozenset(name.lower() for name in (*LOOPBACK, *hosts))
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_FORM_BYTES
    app.config["MAX_FORM_MEMORY_SIZE"] = LARGEST_FORM_BYTES
    app.config["MAX_FORM_PARTS"] = MOST_FORM_FIELDS

    @app.before_request
    def check() -> None:
        if host_name(request.headers.get("Host", "")) not in allowed:
            raise Forbidden("This address is not one of Strata's.", do="Use the one it printed.")
        if not from_own_page():
            raise Forbidden(
                "Another page tried to use Strata.", do="Open Strata at the address it printed."
            )

    @app.after_request
    def protect(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.endpoint != "static":
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def host_name(host: str) -> str:
    """The name in a Host header, lower case, without port; empty when it is none."""
    name, closed, port = host.partition("]") if host.startswith("[") else (host, "", "")
    if closed:
        name, port = f"{name}]", port.removeprefix(":")
    else:
        name, _, port = host.partition(":")
    return name.lower() if not port or _is_port(port) else ""


def _is_port(text: str) -> bool:
    return len(text) <= 5 and text.isascii() and text.isdecimal() and int(text) < 2**16


def from_own_page() -> bool:
    """Whether this request may change things, or listen: reading needs no proof."""
    socket = "websocket" in request.headers.get("Upgrade", "").lower()
    if request.method in READING and not socket:
        return True
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None and not socket:
        if site not in ("same-origin", "none"):
            return False
        # Who hides where a page is from ("null") does not hide that it is the same.
        if origin is None or (origin == "null" and site == "same-origin"):
            return True
    if origin is None:
        # Browsers always send it with a socket.
        return not socket
    return _is_own(origin)


def _is_own(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:  # brackets around what is no address
        return False
    schemes = ("https",) if request.is_secure else ("http", "https")
    return parts.scheme in schemes and parts.netloc.lower() == request.host.lower()
