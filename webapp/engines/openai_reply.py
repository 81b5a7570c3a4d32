"""A streamed answer put together from its chunks: text, thinking, calls, usage. Pure."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from webapp.chat.call_deltas import CallsInParts
from webapp.chat.thinking import CLOSINGS
from webapp.engines.openai_refusal import Refusal, error_in

_CLOSING: Final = re.compile("|".join(map(re.escape, CLOSINGS)), re.IGNORECASE)
_LONGEST: Final = max(map(len, CLOSINGS))
_JOINER: Final = "\u2060"
_CODING: Final = "utf-16-le"


class BrokenAnswer(Exception):
    """The server sent, in the middle of an answer, what ends it; `refusal` holds its words."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class Reply:
    """One answer. `reason` is the server's word for why it ended, empty before that."""

    def __init__(self) -> None:
        self.reason = ""
        self.done = False
        self.pieces = 0
        self.usage = Usage()
        self.calls = CallsInParts()
        self._thoughts = Thoughts()
        self._whole = WholeText()

    def feed(self, data: str) -> str:
        """The text that this event adds, thinking in tags. BrokenAnswer for an error."""
        if data.strip() == "[DONE]":
            self.done = True
            return ""
        chunk = _chunk(data)
        self.usage = self.usage.updated(chunk.get("usage"))
        text = "".join(self._said(choice) for choice in _choices(chunk))
        self.pieces += bool(text)
        return self._whole.feed(text)

    def end(self) -> str:
        """What was kept back, now that no more comes."""
        return self._whole.feed(self._thoughts.end()) + self._whole.end()

    def _said(self, choice: Mapping[str, Any]) -> str:
        refusal = error_in(choice)
        if refusal is not None:
            raise BrokenAnswer(refusal)
        reason = choice.get("finish_reason")
        self.reason = reason if isinstance(reason, str) and reason else self.reason
        said = choice.get("delta") or choice.get("message")
        if not isinstance(said, Mapping):
            return ""
        self.calls.add(said.get("tool_calls"))
        thought, content = _parted(said)
        return self._thoughts.think(thought) + self._thoughts.say(content)


@dataclass(frozen=True)
class Usage:
    """Tokens as the server counts them; None for what it did not say."""

    prompt: int | None = None
    reused: int | None = None
    output: int | None = None

    def updated(self, said: object) -> Usage:
        if not isinstance(said, Mapping):
            return self
        details = said.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
        return Usage(
            _count(said.get("prompt_tokens"), self.prompt),
            _count(cached, self.reused),
            _count(said.get("completion_tokens"), self.output),
        )


class Thoughts:
    """Puts what a server sends apart as thinking into the tags that the page knows."""

    def __init__(self) -> None:
        self._inside = False
        self._said = False
        self._held = ""

    def think(self, text: str) -> str:
        if not text:
            return ""
        start = "" if self._inside else ("\n<think>\n" if self._said else "<think>\n")
        self._inside = True
        whole = _CLOSING.sub(_defused, self._held + text)
        keep = _begun_closing(whole)
        self._held = whole[len(whole) - keep :]
        return start + whole[: len(whole) - keep]

    def say(self, text: str) -> str:
        if not text or (self._inside and not text.strip()):
            return ""
        end = f"{self.end()}\n</think>\n\n" if self._inside else ""
        self._inside, self._said = False, True
        return end + text

    def end(self) -> str:
        """Thinking that nothing follows stays open: its words are shown as the answer."""
        held, self._held = self._held, ""
        return held


class WholeText:
    """Joins halves of characters that a server escaped apart; a half alone becomes U+FFFD."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder(_CODING)("replace")

    def feed(self, text: str) -> str:
        return self._decoder.decode(text.encode(_CODING, "surrogatepass"))

    def end(self) -> str:
        return self._decoder.decode(b"", final=True)


def _chunk(data: str) -> Mapping[str, Any]:
    try:
        chunk = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BrokenAnswer(Refusal(500, "it sent something that is not JSON")) from error
    refusal = error_in(chunk)
    if refusal is not None:
        raise BrokenAnswer(refusal)
    return chunk if isinstance(chunk, Mapping) else {}


def _choices(chunk: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, Mapping) and choice.get("index") in (0, None):
            yield choice


def _parted(said: Mapping[str, Any]) -> tuple[str, str]:
    """Thinking and text of a delta; servers name the first differently, some give parts."""
    thought = _text(said.get("reasoning_content")) or _text(said.get("reasoning"))
    content = said.get("content")
    if not isinstance(content, list):
        return thought, _text(content) or _text(said.get("refusal"))
    parts = [part for part in content if isinstance(part, Mapping)]
    spoken = "".join(_text(part.get("text")) for part in parts)
    inner = [part["thinking"] for part in parts if isinstance(part.get("thinking"), list | str)]
    return thought + "".join(map(_joined, inner)), spoken


def _joined(thinking: str | list[Any]) -> str:
    if isinstance(thinking, str):
        return thinking
    return "".join(_text(part.get("text")) for part in thinking if isinstance(part, Mapping))


def _defused(tag: re.Match[str]) -> str:
    """A closing tag that is only mentioned must not end the thinking."""
    return tag[0][0] + _JOINER + tag[0][1:]


def _begun_closing(text: str) -> int:
    """How many characters at the end may become a closing tag."""
    tags = [tag.lower() for tag in CLOSINGS]
    sizes = range(min(_LONGEST - 1, len(text)), 0, -1)
    return next((n for n in sizes if any(t.startswith(text[-n:].lower()) for t in tags)), 0)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object, known: int | None) -> int | None:
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if good and isinstance(value, int) else known
