"""What a window that is full costs the real model: tokens read again in each of 30 further turns,
with the steady window and with one that drops only what it must, over the same conversation.

Nearly all of the time goes into what the second of them reads again: 30 times the whole window, so
the window is small. About 18,000 tokens are read, two minutes at 150 tokens/s."""

import time

from tests.engines.real_models import chat_model
from webapp.chat.limits import limits
from webapp.chat.messages import new_message
from webapp.chat.scales import Scales
from webapp.chat.window import plan
from webapp.engines.engine import Finished, Request, Sampling, Text, Turn
from webapp.engines.llama_cpp import LlamaCppEngine

CONTEXT, OUTPUT, TURNS = 512, 6, 30
QUESTION = "Day {number} of my diary: rain, and two ships. Name a thing."
TOLD = "Two ships passed."


def rows():
    engine = LlamaCppEngine(chat_model(), context_tokens=CONTEXT, threads=0)
    try:
        scales = Scales(lambda parts: engine.count(turns_of(parts)))
        steady, naive = (conversation(engine, scales, trim) for trim in ("steady", "exact"))
    finally:
        engine.close()
    what = f"tokens read per turn past the limit, {TURNS} turns: steady window / dropping the least"
    seconds = "seconds to the first word in these turns, the same"
    return [
        ratio(what, [read for read, _ in steady], [read for read, _ in naive], "<= 0.25"),
        ratio(seconds, [first for _, first in steady], [first for _, first in naive], ""),
    ]


def ratio(what, ours, theirs, target):
    mean, other = sum(ours) / len(ours), sum(theirs) / len(theirs)
    return what, f"{mean / other:.2f} ({mean:.1f} / {other:.1f})", target


def conversation(engine, scales, trim):
    """(tokens read, seconds to the first word) of each turn after one that the model has read."""
    path, found = full(scales, trim), []
    for _ in range(TURNS + 1):
        path.append(question(path))
        made = plan(path, scales, limits(None, OUTPUT, CONTEXT), trim=trim)
        text, cost = answer(engine, made.parts)
        path.append(told(path, text, made.window_start))
        found.append(cost)
    return found[1:]


def full(scales, trim):
    """As many turns as it takes until something is left out."""
    path, left_out = [], ()
    while not left_out:
        path.append(question(path))
        made = plan(path, scales, limits(None, OUTPUT, CONTEXT), trim=trim)
        path.append(told(path, TOLD, made.window_start))
        left_out = made.left_out
    return path


def question(path):
    return message(path, "user", QUESTION.format(number=len(path) // 2 + 1))


def told(path, text, window_start):
    usage = {"usage": {"window_start": window_start}}
    return message(path, "assistant", text).with_metadata(usage)


def message(path, role, text):
    at = len(path)
    found = new_message(id=f"m{at}", thread_id="t", role=role, text=text, created_at=at)
    return found.with_fields(status="ready")


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
