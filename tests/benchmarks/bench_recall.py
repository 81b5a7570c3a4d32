"""Twenty messages, half of which are about earlier chats, asked of the starter models: how often
each is right whether to look there. Then, what a look among 100,000 messages costs."""

import os
import random
import statistics
import tempfile
import time
from pathlib import Path

from tests.benchmarks.bench_find import _said
from tests.engines.real_models import embed_model
from webapp.chat import deciding, followups, recall_decision
from webapp.engines.catalog import load_catalog
from webapp.engines.engine import Request, Sampling, Text, Turn
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.engines.shelf import Shelf
from webapp.search.finder import FILE
from webapp.search.index import FindIndex
from webapp.search.recalled import recalled
from webapp.settings import load

_MODELS = ("qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b")
_ABOUT_EARLIER = (
    ["What is my dog called?"],
    ["Where did I park my bicycle?"],
    ["Which lens did the keeper recommend to me last month?"],
    ["What did you tell me about copper wire?"],
    ["Remind me of the recipe you gave me for rye bread."],
    ["When does my contract end?"],
    ["What did I say about the house in our earlier chat?"],
    ["我的狗叫什么名字？"],
    ["我们上次讨论的旅行计划是什么？"],
)
_NOT = (
    ["Thanks!"],
    ["Explain how photosynthesis works."],
    ["Write a Python function that reverses a list."],
    ["What is 7 times 8?"],
    ["What does the word harbour mean?"],
    ["Translate 'good morning' to French."],
    ["什么是光合作用？"],
    ["My dog is called Bello."],
    ["Write a poem about tides.", "Make it longer."],
    ["How many days has a leap year?"],
    ["Who is the author of Faust?"],
)
_MESSAGES = 100_000


def rows():
    return [*(row for name in _MODELS for row in _of_model(name)), _looking()]


def _of_model(name):
    path = Shelf(load(os.environ, {})[0].models).fetch(load_catalog().entry(name))
    engine = LlamaCppEngine(path, embed_model(), context_tokens=2048, threads=0)
    _decide(engine, ["Hello!"])
    times, right = [], 0
    for messages, wanted in ((_ABOUT_EARLIER, True), (_NOT, False)):
        for asked in messages:
            began = time.perf_counter()
            right += _decide(engine, asked) == wanted
            times.append(time.perf_counter() - began)
    engine.close()
    many = len(_ABOUT_EARLIER) + len(_NOT)
    seconds = statistics.median(times)
    return [
        (f"earlier chats needed or not, {name}", f"{right} of {many} right", ""),
        (f"one such decision, {name}, median", f"{seconds:.2f} s", ""),
    ]


def _decide(engine, asked):
    turns = tuple(Turn(*part) for part in recall_decision.decision_parts(asked))
    reworded = followups.is_reworded(asked[-1], asked[:-1])
    schema = recall_decision.SCHEMA if reworded else recall_decision.SHORT_SCHEMA
    most = deciding.LONGEST_REPLY
    request = Request("x", turns, most, Sampling(temperature=0.0), schema=schema)
    reply = "".join(each.piece for each in engine.generate(request) if isinstance(each, Text))
    return recall_decision.wanted_in(reply) is not None


def _looking():
    dice = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        index = FindIndex(Path(folder) / FILE)
        for start in range(0, _MESSAGES, 500):
            index.put("bulk", [_said(n, dice) for n in range(start, start + 500)])
        times = []
        for question in ("Which lens did the lighthouse keeper order in zanzibar?", "笔记在哪里？"):
            for _ in range(5):
                began = time.perf_counter()
                recalled(index, question, lambda _: True, 8)
                times.append(time.perf_counter() - began)
        index.close()
    what = f"looking into {_MESSAGES:,} messages by words, for the model"
    return what, f"{statistics.median(times) * 1000:.0f} ms", "≤ 500 ms"
