"""What a window that is full costs the real model: tokens read again in each of 30 further turns,
with the steady window and with one that drops only what it must, over the same questions."""

import time

from tests.engines.real_models import chat_model
from webapp.chat.limits import limits
from webapp.chat.messages import new_message
from webapp.chat.scales import Scales
from webapp.chat.window import plan
from webapp.engines.engine import Finished, Request, Sampling, Text, Turn
from webapp.engines.llama_cpp import LlamaCppEngine

CONTEXT, OUTPUT, TURNS = 1024, 24, 30
QUESTION = (
    "Entry {number} of my diary: the lighthouse keeper wrote down the weather, the ships that "
    "passed, and what he ate for supper, as he did every day. Name one thing he wrote down."
)


def rows():
    engine = LlamaCppEngine(chat_model(), context_tokens=CONTEXT, threads=0)
    try:
        scales = Scales(lambda parts: engine.count(turns_of(parts)))
        steady, naive = (conversation(engine, scales, trim) for trim in ("steady", "exact"))
    finally:
        engine.close()
    what = "tokens read per turn past the limit, 0.5B, 30 turns: steady window / dropping the least"
    seconds = "seconds to the first word in these turns, the same"
    return [
        ratio(what, [read for read, _ in steady], [read for read, _ in naive], "<= 0.25"),
        ratio(seconds, [first for _, first in steady], [first for _, first in naive], ""),
    ]


def ratio(what, ours, theirs, target):
    mean, other = sum(ours) / len(ours), sum(theirs) / len(theirs)
    return f"{what} ({mean:.1f} / {other:.1f})", f"{mean / other:.2f}", target


def conversation(engine, scales, trim):
    """(tokens read, seconds to the first word) of each turn after the window was full."""
    path, found = [], []
    for number in range(10_000):
        path.append(message(len(path), "user", QUESTION.format(number=number)))
        made = plan(path, scales, limits(None, OUTPUT, CONTEXT), trim=trim)
        text, cost = answer(engine, made.parts)
        if made.left_out or found:
            found.append(cost)
        if len(found) == TURNS:
            return found
        reply = message(len(path), "assistant", text)
        path.append(reply.with_metadata({"usage": {"window_start": made.window_start}}))
    raise AssertionError("the window was never full")


def message(number, role, text):
    return new_message(
        id=f"m{number}", thread_id="t", role=role, text=text, created_at=number
    ).with_fields(status="ready")


def answer(engine, parts):
    text, began, first = "", time.perf_counter(), 0.0
    calm = Sampling(temperature=0.0)
    for event in engine.generate(Request("bench", turns_of(parts), OUTPUT, calm)):
        if isinstance(event, Text):
            first = first or time.perf_counter() - began
            text += event.piece
        elif isinstance(event, Finished):
            return text or ".", (event.prompt_tokens - event.reused_tokens, first)
    raise AssertionError("the engine ended without saying so")


def turns_of(parts):
    return tuple(Turn(role, content) for role, content in parts)
