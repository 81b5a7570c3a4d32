"""How to put a request to one server: all take the same fields, and each refuses some. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from webapp.engines.engine import Request, Turn
from webapp.engines.openai_refusal import Refusal

# Not in the API that all servers copy, but known to most that run local models; first to go.
_EXTENSIONS: Final = ("stream_options", "top_k", "repeat_penalty", "repetition_penalty")
# What an answer is held to and may call: without them it is read with care.
_FORM: Final = "response_format"
_FORMS: Final = (_FORM, "tools")
_NEW_FORM: Final = "json_schema"
_OLD_FORM: Final = "json_object"
# Some models of some servers refuse these; the engine itself sees to stop strings.
_OPTIONAL: Final = (*_EXTENSIONS, *_FORMS, "temperature", "top_p", "seed", "stop")
_OLD_LIMIT: Final = "max_tokens"
_NEW_LIMIT: Final = "max_completion_tokens"


@dataclass(frozen=True)
class Dialect:
    """What a server is known to refuse, what it calls the limit of an answer, and how it is told
    what form an answer has: older servers know `json_object` alone, some of them with a schema."""

    refused: frozenset[str] = frozenset()
    limit: str = _OLD_LIMIT
    form: str = _NEW_FORM

    def body(self, request: Request, model: str, room: int) -> dict[str, Any]:
        """The request for a streamed answer of `room` tokens at most."""
        sampling = request.sampling
        fields: dict[str, Any] = {
            "model": model,
            "messages": _messages(request.turns),
            "stream": True,
            self.limit: room,
            "stream_options": {"include_usage": True},
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "repeat_penalty": sampling.repeat_penalty,
            "repetition_penalty": sampling.repeat_penalty,
        }
        if sampling.seed is not None:
            fields["seed"] = sampling.seed
        if request.stop:
            fields["stop"] = [stop for stop in request.stop if stop]
        if request.schema is not None:
            fields[_FORM] = self._form(dict(request.schema))
        if request.tools:
            fields["tools"] = list(request.tools)
        return {name: value for name, value in fields.items() if name not in self.refused}

    def after(self, refusal: Refusal) -> Dialect | None:
        """Another way to ask, if the refusal is about the way; each call is nearer to None."""
        # The server of llama-cpp-python calls a form it does not know its own fault.
        statuses = (400, 422, 500) if _FORM in refusal.message else (400, 422)
        if refusal.status not in statuses or refusal.overflow or refusal.means_no_model:
            return None
        if self.limit == _OLD_LIMIT and _NEW_LIMIT in refusal.message:
            return replace(self, limit=_NEW_LIMIT)
        if self.form == _NEW_FORM and re.search(f"{_FORM}|{_NEW_FORM}", refusal.message):
            return replace(self, form=_OLD_FORM)
        named = self._left(_OPTIONAL, refusal.message)
        # A server may refuse what it does not know without naming it.
        less = named or self._left((*_EXTENSIONS, *_FORMS))
        return replace(self, refused=self.refused | less) if less else None

    def _form(self, schema: dict[str, Any]) -> dict[str, Any]:
        if self.form == _OLD_FORM:
            return {"type": _OLD_FORM, "schema": schema}
        return {"type": _NEW_FORM, _NEW_FORM: {"name": "reply", "schema": schema, "strict": True}}

    def _left(self, names: tuple[str, ...], message: str | None = None) -> frozenset[str]:
        """Those of `names` that are still sent and, with a message, stand in it as words."""
        return frozenset(
            name
            for name in names
            if name not in self.refused
            and (message is None or re.search(rf"\b{name}\b", message, re.IGNORECASE))
        )


def _messages(turns: Sequence[Turn]) -> list[dict[str, str]]:
    """Results of tools as a person's turn: as turns of their own, servers take them only with calls
    in the shape of this API, and calls are text here. Neighbours are joined: roles alternate."""
    messages: list[dict[str, str]] = []
    for turn in turns:
        role, content = turn.role, turn.content
        if role == "tool":
            role, content = "user", f"<tool_response>\n{content}\n</tool_response>"
            if messages and messages[-1]["content"].startswith("<tool_response>"):
                messages[-1]["content"] += f"\n{content}"
                continue
        messages.append({"role": role, "content": content})
    return messages
