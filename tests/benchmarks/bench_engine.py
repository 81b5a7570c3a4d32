"""The engine against a bare loop over the library, which take turns in one run.

The bare loop runs in a process of its own with the same environment, so that both find the same
machine: what is measured is what the pipe, the events and the queue cost."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import median

from tests.engines.real_models import chat_model, embed_model
from webapp.engines.engine import Request, Sampling, Text, Turn
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.engines.llama_link import SPINS

ROUNDS, TOKENS, PASSAGES, THREADS = 5, 64, 16, 2
GREEDY = Sampling(temperature=0.0, repeat_penalty=1.0)
QUESTION = "Write all whole numbers from one to one hundred as words."
WORDS = "The notice period is ninety days and the deposit is returned within four weeks. "

BARE = """
import json, sys, time
import llama_cpp
chat, embedder, tokens, threads = json.loads(sys.argv[1])
model = llama_cpp.Llama(chat, n_ctx=4096, n_threads=threads, n_threads_batch=threads,
                        verbose=False)
vectors = llama_cpp.Llama(embedder, embedding=True, n_ctx=512, n_threads=threads,
                          n_threads_batch=threads, verbose=False)
for line in sys.stdin:
    task, value = json.loads(line)
    if task == "write":
        prompt, moments = model.tokenize(value.encode(), special=True), []
        for token in model.generate(prompt, temp=0.0, repeat_penalty=1.0):
            moments.append(time.perf_counter())
            if len(moments) == tokens: break
        seconds = moments[-1] - moments[0]
    else:
        began = time.perf_counter()
        for text in value: vectors.embed(text, normalize=True)
        seconds = time.perf_counter() - began
    print(seconds, flush=True)
"""


class Bare:
    """The library in a loop, without anything of ours."""

    def __init__(self) -> None:
        orders = json.dumps([str(chat_model()), str(embed_model()), TOKENS, THREADS])
        self._program = subprocess.Popen(
            [sys.executable, "-c", BARE, orders],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"GOMP_SPINCOUNT": SPINS, **os.environ},
            text=True,
        )

    def seconds(self, task: str, value: object) -> float:
        self._program.stdin.write(json.dumps([task, value]) + "\n")
        self._program.stdin.flush()
        return float(self._program.stdout.readline())

    def close(self) -> None:
        self._program.communicate()


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, target): writing and embedding."""
    bare = Bare()
    engine = LlamaCppEngine(
        chat_model(),
        embed_model(),
        context_tokens=4096,
        threads=THREADS,
        passage_prefix="passage: ",
    )
    try:
        return [writing(engine, bare), embedding(engine, bare)]
    finally:
        engine.close()
        bare.close()


def writing(engine: LlamaCppEngine, bare: Bare) -> tuple[str, str, str]:
    rendered = (
        f"<|im_start|>user\n{QUESTION}<|im_end|>\n<|im_start|>assistant\n"  # of the starter model
    )
    pairs = [(written(engine), bare.seconds("write", rendered)) for _ in range(ROUNDS + 1)]
    return ratio("engine: tokens a second / a bare loop", pairs[1:], TOKENS - 1, ">= 0.97")


def written(engine: LlamaCppEngine) -> float:
    """Seconds from the first piece of an answer to its last."""
    request = Request("bench", (Turn("user", QUESTION),), TOKENS, GREEDY)
    events = engine.generate(request)
    moments = [time.perf_counter() for event in events if isinstance(event, Text)]
    return moments[-1] - moments[0]


def embedding(engine: LlamaCppEngine, bare: Bare) -> tuple[str, str, str]:
    texts = [f"{number}. {WORDS * 6}".strip() for number in range(PASSAGES)]
    prefixed = [f"passage: {text}" for text in texts]
    pairs = [(embedded(engine, texts), bare.seconds("embed", prefixed)) for _ in range(ROUNDS)]
    return ratio("engine: passages a second / a bare loop", pairs[1:], PASSAGES, ">= 0.95")


def embedded(engine: LlamaCppEngine, texts: Sequence[str]) -> float:
    began = time.perf_counter()
    engine.embed(texts, "passage")
    return time.perf_counter() - began


def ratio(
    what: str, pairs: Sequence[tuple[float, float]], things: int, target: str
) -> tuple[str, str, str]:
    """The median over rounds, so that one disturbed round decides nothing."""
    ours = things / median(pair[0] for pair in pairs)
    theirs = things / median(pair[1] for pair in pairs)
    quotient = median(bare / engine for engine, bare in pairs)
    return what, f"{quotient:.3f} ({ours:.1f} / {theirs:.1f})", target
