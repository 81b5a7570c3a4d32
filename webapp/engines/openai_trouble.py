"""Sentences for a person about a server: what it refused, or why it cannot be reached. Pure."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from webapp.engines.openai_refusal import Refusal, Refused
from webapp.errors import EngineFailed

Stage = Literal["connect", "first", "between"]

_MOST_NAMES: Final = 8
_EXCEEDS: Final = "which exceeds the model's context"
_KEY: Final = "Set STRATA_API_KEY, or api_key in settings.toml, and start Strata again."
_AGAIN: Final = "Check that the server still runs, then ask again."


@dataclass(frozen=True)
class Asked:
    """Whom we asked for what; `key` is there to be kept out of every sentence."""

    place: str
    model: str = ""
    key: str = field(default="", repr=False)
    known_models: Sequence[str] = ()
    host: str = ""

    def without_key(self, text: str) -> str:
        return text.replace(self.key, "•••") if self.key else text


class Unreachable(EngineFailed):
    """No connection came about, or it broke."""


def refused(refusal: Refusal, asked: Asked) -> Refused:
    """The error of a refusal, except for one that means a text too long."""
    what, do = _sentences(refusal, asked)
    return Refused(refusal, asked.without_key(what), asked.without_key(do))


def too_long(prompt: int, context: int, refusal: Refusal) -> Refused:
    """The model's window does not hold the conversation; `chat.overflow` reads these words."""
    holds = f"but the model's context holds {context:,}" if context else _EXCEEDS
    return Refused(
        refusal,
        f"The conversation has {prompt:,} tokens, {holds}.",
        do="Shorten the question, or begin a new thread.",
    )


def _sentences(refusal: Refusal, asked: Asked) -> tuple[str, str]:
    place, status = f"The server at {asked.place}", refusal.status
    said = f": {refusal.message.rstrip('.')}" if refusal.message else ""
    if status == 401:
        want = "does not accept the API key" if asked.key else "asks for an API key"
        return f"{place} {want}.", _KEY
    if status == 403:
        return f"{place} does not allow this{said}.", "Check what this API key may do."
    if refusal.means_no_model:
        return f"{place} has no model “{asked.model}”.", _other_model(asked)
    if status in (404, 405):
        return f"There is no OpenAI-compatible API at {asked.place}.", "Check base_url."
    if status == 413:
        return f"{place} does not take a request as long as this{said}.", "Shorten the question."
    if status == 429:
        return f"{place} takes no more requests now{said}.", _when(refusal.retry_after)
    if 300 <= status < 400:
        return f"{place} points to another address.", _moved(refusal.target)
    if status in (502, 503, 504):
        return f"{place} is not ready ({status}){said}.", "Wait a little, then ask again."
    if status >= 500:
        return f"{place} failed ({status}){said}.", "Look in its log, then ask again."
    return f"{place} refuses the request ({status}){said}.", "Check the settings of both sides."


def _other_model(asked: Asked) -> str:
    names = [name for name in asked.known_models if name != asked.model]
    if not names:
        return "Set the name of a model that it has."
    more = "" if len(names) <= _MOST_NAMES else " and others"
    return f"It lists {', '.join(names[:_MOST_NAMES])}{more}: set one of these."


def _when(retry_after: str) -> str:
    if retry_after.isascii() and retry_after.isdigit():
        return f"Ask again in {int(retry_after[:9]):,} seconds."
    return f"Ask again after {retry_after}." if retry_after else "Ask again a little later."


def _moved(target: str) -> str:
    return f"If you trust it, set base_url to {target}." if target else "Check base_url."


def unreachable(error: Exception, stage: Stage, seconds: float, asked: Asked) -> Unreachable:
    """The error of a connection that did not come about, or broke."""
    what, do = _why(error, stage, seconds, asked)
    return Unreachable(asked.without_key(what), asked.without_key(do))


def _why(error: Exception, stage: Stage, seconds: float, asked: Asked) -> tuple[str, str]:
    place = f"The server at {asked.place}"
    if isinstance(error, TimeoutError):
        did = {"connect": "cannot be reached", "first": "did not answer", "between": "fell silent"}
        return f"{place} {did[stage]} (waited {seconds:g} seconds).", _AGAIN
    if stage == "between":
        return f"The connection to {asked.place} broke in the middle of the answer.", _AGAIN
    if isinstance(error, socket.gaierror | UnicodeError):
        return f"There is no machine called “{asked.host}”.", "Check base_url and the network."
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"The certificate of {asked.place} cannot be trusted: {error.verify_message}.",
            "Use the name that the certificate is for, or let this machine trust its issuer.",
        )
    if isinstance(error, ssl.SSLError):
        return f"{place} does not speak TLS.", "If it has none, begin base_url with http://."
    if isinstance(error, ConnectionRefusedError):
        return f"Nothing listens at {asked.place}.", "Start the server there, or check base_url."
    if isinstance(error, ConnectionError | http.client.IncompleteRead):
        return f"{place} closed the connection without an answer.", _AGAIN
    if isinstance(error, http.client.HTTPException):
        return f"What listens at {asked.place} does not speak HTTP.", "Check base_url."
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"{place} cannot be reached ({reason}).", "Check base_url and the network."
