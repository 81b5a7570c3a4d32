"""Whether a server elsewhere does what Strata asks of it: each finding is a sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from webapp.engines.engine import Engine, Request, Sampling, Text, Turn
from webapp.engines.openai_http import OpenAIHttpEngine
from webapp.errors import StrataError

_NAMED = 8


@dataclass(frozen=True)
class Finding:
    good: bool
    words: str


def probe(engine: OpenAIHttpEngine, *, embedder: str) -> list[Finding]:
    """In the order a person would try it; stops at the first that makes the rest pointless. Takes
    as long as the server does, within its time-outs."""
    try:
        names = engine.models()
    except StrataError as error:
        return [Finding(False, str(error))]
    info = engine.describe()
    listed = ", ".join(names[:_NAMED]) + (" …" if len(names) > _NAMED else "")
    found = [Finding(True, f"It answers, and lists {listed or 'no models'}.")]
    found.append(_tried(lambda: _chat(engine), f"{info.model or 'The model'} answers."))
    window = f"Its window is {info.context_tokens:,} tokens, as the server or the settings say."
    found.append(Finding(True, window))
    if not embedder:
        found.append(Finding(False, "No embedding model is set, so files are found by words only."))
    else:
        found.append(_tried(lambda: _embed(engine), f"{embedder} embeds."))
    return found


def _chat(engine: Engine) -> None:
    request = Request("probe", (Turn("user", "Say: yes"),), 16, Sampling(temperature=0.0))
    if not any(isinstance(event, Text) for event in engine.generate(request)):
        raise _Silent


def _embed(engine: Engine) -> None:
    engine.embed(["A short text."], "passage")


class _Silent(StrataError):
    def __init__(self) -> None:
        super().__init__("It answered a question without a word.", do="Choose another model there.")


def _tried(act: Callable[[], None], words: str) -> Finding:
    try:
        act()
    except StrataError as error:
        return Finding(False, str(error))
    return Finding(True, words)
