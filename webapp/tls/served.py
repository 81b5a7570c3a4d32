"""The certificate that pages are served with, for as long as they are."""

from __future__ import annotations

import logging
import ssl
from collections.abc import Callable

from webapp.errors import StrataError
from webapp.tls.certificate import Certificate

log = logging.getLogger(__name__)


class ServedCertificate:
    """`find` gives the one to serve with at the moment it is called, and raises StrataError when
    there is none that could: at the start, that is the caller's to tell."""

    def __init__(self, find: Callable[[], Certificate]) -> None:
        self._find = find
        self._current = find()
        self.context = self._current.context()

    @property
    def own(self) -> bool:
        return self._current.own

    @property
    def fingerprint(self) -> str:
        return self._current.fingerprint

    def look_again(self) -> ssl.SSLContext | None:
        """A new context when there is another certificate by now: one that was renewed on the disk,
        or that Strata made because its own soon ends. What cannot serve is logged, and the last
        one goes on."""
        try:
            found = self._find()
            if found.fingerprint == self.fingerprint:
                return None
            # Not the same context: one with a key of another kind would be kept beside the old.
            context = found.context()
        except (StrataError, OSError) as error:
            log.warning("The certificate was not renewed: %s", error)
            return None
        self._current, self.context = found, context
        log.info("Pages are served with a renewed certificate, %s", found.fingerprint)
        return context
