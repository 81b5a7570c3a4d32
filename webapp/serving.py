"""From settings to a page that answers: lock, log, models, app, server, and a clean end."""

from __future__ import annotations

import gc
import ipaddress
import logging
import os
import sys
import threading
import time
import webbrowser
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from logging.handlers import RotatingFileHandler
from pathlib import Path

import click
from flask import Flask

from webapp.app import chosen_models, clock_ms, create_app
from webapp.cli_models import fetch_with_progress
from webapp.engines.catalog import load_catalog
from webapp.engines.shelf import Shelf
from webapp.errors import BadSetting, StrataError
from webapp.people.secret_words import shown_code
from webapp.settings import Loaded, Settings
from webapp.threads.instance import InstanceLock
from webapp.tls.certificate import Certificate, given
from webapp.tls.own import own
from webapp.tls.served import ServedCertificate
from webapp.web.own_names import own_names, own_urls
from webapp.web.qr_code import in_terminal, join_url
from webapp.web.server import PageServer
from webapp.web.services import EXTENSION, Services

TLS_FOLDER = "tls"
SECONDS_TO_END = 4.5
RENEWAL_SECONDS = 600
LOG_BYTES = 2_000_000
TRASH_DAYS = 30
DAY_MS = 86_400_000

log = logging.getLogger(__name__)


def run(
    settings: Settings, *, open_browser: bool, reload: Callable[[], Loaded] | None = None
) -> None:
    """Serve until a signal. Raises AlreadyRunning for a directory or port in use."""
    refuse_an_open_house(settings)
    lock = InstanceLock(settings.data)
    try:
        log_to(settings.data)
        if settings.engine == "llama_cpp":
            fetch_missing(settings)
        serve(settings, lock, open_browser=open_browser, reload=reload)
    finally:
        lock.release()


def serve(
    settings: Settings,
    lock: InstanceLock,
    *,
    open_browser: bool,
    reload: Callable[[], Loaded] | None = None,
) -> None:
    certificate = ServedCertificate(find) if (find := certificate_of(settings)) else None
    tls = certificate.context if certificate else None
    app = create_app(settings, reload=reload, certificate=certificate)
    services: Services = app.extensions[EXTENSION]
    try:
        server = PageServer(app, host_of(settings), settings.port, tls)
        lock.announce(server.address)
        click.echo(f"Strata is at {server.address}   (threads: {settings.data}; Ctrl+C stops it)")
        tell_who_may_come(services, server.port)
        sys.stdout.flush()
        threading.Thread(target=warm_up, args=(app,), name="warm-up", daemon=True).start()
        if certificate:
            renewal = (certificate, server)
            threading.Thread(target=keep_renewed, args=renewal, name="tls", daemon=True).start()
        if open_browser and has_desktop():
            webbrowser.open(server.address)
        server.serve_until_signal(lambda: begin_to_end(services))
    finally:
        close_all(services)


def begin_to_end(services: Services) -> None:
    """Answers are stopped and kept while pages still answer. What takes too long afterwards is cut
    off: it is on the disk as far as it came, and goes on with the next start."""
    last = threading.Timer(SECONDS_TO_END, cut_off)
    last.daemon = True
    last.start()
    services.generation.close()


def close_all(services: Services) -> None:
    """The engine is closed before files are waited for: they wait for it."""
    services.generation.close()
    services.models.close()
    services.imports.close()
    services.documents.stop()
    services.engine.close()
    services.documents.close()
    services.finder.close()
    services.library.close()


def cut_off() -> None:
    log.warning("Stopping took longer than %s seconds and was cut short.", SECONDS_TO_END)
    logging.shutdown()
    os._exit(0)


def keep_renewed(certificate: ServedCertificate, server: PageServer) -> None:
    """For as long as the process lives: a certificate may be renewed meanwhile."""
    while True:
        time.sleep(RENEWAL_SECONDS)
        if context := certificate.look_again():
            server.renew(context)


def certificate_of(settings: Settings) -> Callable[[], Certificate] | None:
    """What finds the one to serve with; None without TLS. Raises BadSetting, as it does for one
    that cannot serve."""
    files = (settings.tls_cert, settings.tls_key)
    if settings.tls == "self":
        if any(files):
            raise BadSetting(
                "A certificate is named, and Strata is also told to make its own.",
                do="Leave out --tls self, or --tls-cert and --tls-key.",
            )
        return lambda: own(settings.data / TLS_FOLDER, own_names(), datetime.now(UTC))
    if any(files) and not all(files):
        raise BadSetting(
            "TLS needs a certificate and its key.", do="Name both --tls-cert and --tls-key."
        )
    if not all(files):
        return None
    file, key = (Path(each).expanduser() for each in files)
    return lambda: given(file, key, datetime.now(UTC))


def refuse_an_open_house(settings: Settings) -> None:
    """Raises BadSetting for an address on the network that asks nobody who they are."""
    shut = settings.lan or settings.without_sign_in
    if not shut and is_open_to_the_network(settings.host):
        raise BadSetting(
            f"At {settings.host} others could read and write all threads without signing in.",
            do="Start with --lan to have people sign in, or with --without-sign-in to let them.",
        )


def host_of(settings: Settings) -> str:
    """All addresses of the machine when it is shared, unless one is named."""
    usual = Settings.host
    return "0.0.0.0" if settings.lan and settings.host == usual else settings.host  # noqa: S104


def is_open_to_the_network(host: str) -> bool:
    """Whether others than this machine may reach it; a name that is no number counts as such,
    but for the machine's own."""
    try:
        return not ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() != "localhost"


def tell_who_may_come(services: Services, port: int) -> None:
    if services.household.shared:
        tell_how_to_join(services, port)
    elif is_open_to_the_network(services.settings.host):
        click.echo(
            "Anyone who reaches this address can read and write all threads without signing in. "
            "Start with --lan to have people sign in."
        )


def tell_how_to_join(services: Services, port: int) -> None:
    """Where others find it, and the codes with which they, and the owner at first, come in."""
    register = services.household.register
    own = register.open_house()
    at = own_urls("https" if services.certificate else "http", port)
    where = " or ".join(at) or "its address there"
    click.echo(f"Others on this network find it at {where}")
    if own:
        click.echo(f"You are its owner: join first, at /join with the code {shown_code(own)}")
    if code := register.roll().access_code:
        click.echo(f"Others join there with the access code {shown_code(code)}")
        if at and sys.stdout.isatty():
            click.echo(in_terminal(join_url(at[0], shown_code(code))))
    tell_of_tls(services.certificate)


def tell_of_tls(certificate: ServedCertificate | None) -> None:
    if certificate is None:
        click.echo("Without TLS, others on the same network can read along: see --tls self.")
    elif certificate.own:
        click.echo(
            "Browsers warn about a certificate that Strata made. Continue only if they show this "
            f"SHA-256 fingerprint:\n{certificate.fingerprint}"
        )


def fetch_missing(settings: Settings) -> None:
    """The chosen models, with progress. Without a network and a file the page still opens: the
    threads can be read, and it says what is missing."""
    shelf = Shelf(settings.models)
    for choice in chosen_models(settings, load_catalog()):
        if choice.entry is None or shelf.path_of(choice.entry):
            continue
        try:
            fetch_with_progress(shelf, choice.entry, sys.stderr)
        except StrataError as error:
            click.echo(f"{error}\nStrata starts without it: threads can still be read.", err=True)


def warm_up(app: Flask) -> None:
    """What the first page does not need: the model, files whose reading was interrupted, and what
    is too old in the trash."""
    services: Services = app.extensions[EXTENSION]
    too_old = clock_ms() - TRASH_DAYS * DAY_MS
    for step in (  # one that fails, for want of a model say, stops none of the others
        services.engine.load,
        services.finder.indexer.catch_up,
        services.finder.reader.start,
        services.documents.resume,
        partial(services.library.empty_trash, older_than_ms=too_old),
        services.documents.forget_deleted,
    ):
        try:
            step()
        except StrataError as error:
            log.warning("%s", error)
    # What is there from the start stays: the collector need not look at it again and again, while a
    # page waits.
    gc.collect()
    gc.freeze()


def has_desktop() -> bool:
    """Whether a browser would come up where the person is, not on a server somewhere."""
    if os.environ.get("SSH_CONNECTION") or os.environ.get("CI"):
        return False
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in screens)


def log_to(folder: Path) -> None:
    """Our notes, and everything from warnings up, to `strata.log` in the data directory."""
    handler = RotatingFileHandler(
        folder / "strata.log", maxBytes=LOG_BYTES, backupCount=2, encoding="utf-8", delay=True
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
