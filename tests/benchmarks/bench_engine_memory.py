"""How soon an answer begins when its conversation was read before, against reading it all.

One run, the small real model, a conversation of 3,000 tokens. Seconds are from asking to the first
piece of text, at our end of the pipe; how many tokens were read is what the engine counted."""

import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.bench_engine import GREEDY, THREADS, WORDS
from tests.engines.engine_contract import until
from tests.engines.real_models import chat_model
from webapp.engines.engine import Finished, Request, Text, Turn
from webapp.engines.llama_cpp import LlamaCppEngine

COLD_TOKENS, OTHER_TOKENS, QUOTA = 3000, 600, 1 << 30
ASIDE = "The ferry crosses twice a day unless the wind is strong. "


class Answer(NamedTuple):
    seconds: float
    finished: Finished
    text: str


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, target): next turn, branch, other thread, restart, all against cold."""
    with tempfile.TemporaryDirectory() as folder:
        engine = engine_in(folder)
        try:
            told = before_restart(engine, Path(folder))
        finally:
            engine.close()
        return told[:-1] + after_restart(folder, *told[-1])


def engine_in(folder: str) -> LlamaCppEngine:
    kept = {"kv_folder": Path(folder), "kv_bytes": QUOTA}
    return LlamaCppEngine(chat_model(), context_tokens=4096, threads=THREADS, **kept)


def before_restart(engine: LlamaCppEngine, folder: Path) -> list:
    """The rows of one engine; last what the row after it needs: the turns and the cold answer."""
    long = (Turn("user", sized(engine, WORDS, COLD_TOKENS) + "What is the notice period?"),)
    cold = asked(engine, long)
    until((folder / "models.json").exists)  # a person reads the answer meanwhile
    turns = (*long, Turn("assistant", cold.text), Turn("user", "And the deposit?"))
    edited = (*long, Turn("assistant", cold.text), Turn("user", "Explain it to a child. " * 8))
    other = (Turn("user", sized(engine, ASIDE, OTHER_TOKENS) + "How often does it cross?"),)
    told = [row("next turn", asked(engine, turns), cold)]
    asked(engine, edited)
    told.append(row("branch and back", asked(engine, turns), cold))
    asked(engine, other)
    told.append(row("other thread and back", asked(engine, turns), cold))
    return [*told, (turns, cold)]


def after_restart(folder: str, turns: tuple[Turn, ...], cold: Answer) -> list:
    engine = engine_in(folder)
    began = time.perf_counter()
    try:
        engine.load()
        until(lambda: engine.describe().state == "ready")
        loaded = time.perf_counter() - began
        return [row(f"after a restart (loaded in {loaded:.1f} s)", asked(engine, turns), cold)]
    finally:
        engine.close()


def sized(engine: LlamaCppEngine, words: str, tokens: int) -> str:
    once, twice = (engine.count((Turn("user", words * n),)) for n in (1, 2))
    return words * ((tokens - once) // (twice - once))


def asked(engine: LlamaCppEngine, turns: tuple[Turn, ...]) -> Answer:
    began, first, text = time.perf_counter(), 0.0, ""
    for event in engine.generate(Request("bench", turns, 8, GREEDY)):
        if isinstance(event, Text):
            first = first or time.perf_counter() - began
            text += event.piece
    return Answer(first, event, text)


def row(what: str, warm: Answer, cold: Answer) -> tuple[str, str, str]:
    read = warm.finished.prompt_tokens - warm.finished.reused_tokens
    figures = f"{warm.seconds / cold.seconds:.4f} ({warm.seconds:.2f} s / {cold.seconds:.1f} s)"
    counts = f"{read} of {warm.finished.prompt_tokens:,} tokens read"
    return f"engine: first token, {what} / all unread", f"{figures}, {counts}", "<= 0.02"
