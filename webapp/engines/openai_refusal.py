"""What a server says when it does not answer, as values and as sentences for a person. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from webapp.errors import EngineFailed

_LONGEST_MESSAGE: Final = 300
_OVERFLOW_CODES: Final = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_OVERFLOW: Final = re.compile(
    r"context[ _](length|size|window)|maximum context|max_model_len|n_ctx|too many tokens"
    r"|(prompt|input|inputs|sequence)\b.{0,40}\btoo (long|large)|max_new_tokens"
    r"|longer than the maximum|maximum (input|sequence) length",
    re.IGNORECASE,
)
_CONTEXT_NUMBERS: Final = (
    r"maximum context length (?:is|of) (\d+)",
    r"(?:n_ctx|max_model_len)\D{0,12}(\d+)",
    r"context (?:size|window|length)\D{0,20}(\d+)",
    r"(?:batch size|<=|>|maximum|at most|limit)\D{0,20}(\d+)",
)
_PROMPT_NUMBERS: Final = (
    r"\((\d+) in (?:the messages|your prompt)",
    r"(\d+) (?:`inputs`|input|prompt) tokens",
    r"(?:input|prompt|request|tokens) \((\d+)",
    r"requested (\d+)",
    r"(\d+) tokens",
)
_NO_MODEL: Final = re.compile(
    r"\bmodel\b.*(not (found|exist|available|loaded)|does not exist|unknown|no such)"
    r"|(no such|unknown|invalid|not find) model|not a valid model",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Overflow:
    """The request was too long for the model; 0 for a number that the server did not say."""

    prompt: int
    context: int


@dataclass(frozen=True)
class Refusal:
    """A status that is no success, with the server's own words: one line, without markup."""

    status: int
    message: str = ""
    code: str = ""
    retry_after: str = ""
    target: str = ""
    overflow: Overflow | None = None

    @property
    def means_no_model(self) -> bool:
        named = self.code == "model_not_found" or bool(_NO_MODEL.search(self.message))
        return self.status in (400, 404, 422) and named


class Refused(EngineFailed):
    """The server answered, and the answer is no."""

    def __init__(self, refusal: Refusal, what: str, do: str) -> None:
        super().__init__(what, do)
        self.refusal = refusal


def refusal_of(status: int, body: bytes, retry_after: str = "", target: str = "") -> Refusal:
    """Read the forms that servers use: OpenAI's error object, a detail, a text, a web page."""
    text = body.decode("utf-8", "replace")
    message, code, numbers = _said(text)
    message = one_line(message)
    return Refusal(
        status,
        message,
        code,
        one_line(retry_after),
        one_line(target),
        _overflow(status, message, code, numbers),
    )


def error_in(value: object) -> Refusal | None:
    """The refusal in a piece of a stream, or in a body that came with a good status."""
    error = value.get("error") if isinstance(value, Mapping) else None
    if not error:
        return None
    message, code, numbers = _said_in(error)
    message = one_line(message)
    return Refusal(500, message, code, overflow=_overflow(500, message, code, numbers))


def one_line(text: str) -> str:
    """Fit to stand in a sentence: no line ends, no control characters, not too long."""
    clean = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return clean if len(clean) <= _LONGEST_MESSAGE else clean[: _LONGEST_MESSAGE - 1] + "…"


def _said(text: str) -> tuple[str, str, Mapping[str, Any]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ("" if "<" in text[:200] else text), "", {}
    if isinstance(value, Mapping):
        for key in ("error", "detail", "message"):
            if value.get(key):
                return _said_in(value[key])
    return _said_in(value)


def _said_in(value: object) -> tuple[str, str, Mapping[str, Any]]:
    if isinstance(value, str):
        return value, "", {}
    if isinstance(value, list):  # FastAPI: one object for each wrong field
        return "; ".join(_wrong_field(item) for item in value), "", {}
    if not isinstance(value, Mapping):
        return "", "", {}
    named = (value.get("code"), value.get("type"))
    code = next((name for name in named if isinstance(name, str) and name), "")
    known = next((name for name in named if name in _OVERFLOW_CODES), code)
    message, param = str(value.get("message") or ""), value.get("param")
    if isinstance(param, str) and param and param not in message:
        message += f" ({param})"
    return message, known, value


def _wrong_field(item: object) -> str:
    if not isinstance(item, Mapping):
        return str(item)
    where = item.get("loc")
    path = ".".join(map(str, where)) if isinstance(where, list) else ""
    return f"{path}: {item.get('msg', '')}"


def _overflow(status: int, message: str, code: str, numbers: Mapping[str, Any]) -> Overflow | None:
    if status in (401, 403, 404, 429):
        return None
    if code not in _OVERFLOW_CODES and not _OVERFLOW.search(message):
        return None
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", message)
    prompt = _count(numbers.get("n_prompt_tokens")) or _first_number(_PROMPT_NUMBERS, plain)
    context = _count(numbers.get("n_ctx")) or _first_number(_CONTEXT_NUMBERS, plain)
    return Overflow(prompt, context)


def _first_number(patterns: tuple[str, ...], text: str) -> int:
    found = (re.search(pattern, text, re.IGNORECASE) for pattern in patterns)
    return next((int(match[1][:12]) for match in found if match), 0)


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
