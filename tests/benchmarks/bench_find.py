"""Search in everything said: first results by the number of messages, through the index alone."""

import random
import statistics
import tempfile
import time
from pathlib import Path

from tests.benchmarks import plots
from webapp.search.finder import Finder
from webapp.search.index import Filters, Said

_SIZES = (1_000, 10_000, 100_000)
_THREADS = 1_000
_WORDS = [
    *("harbour", "wall", "tide", "lighthouse", "keeper", "lens", "copper", "wire", "contract"),
    *("notice", "deposit", "ninety", "days", "mountain", "river", "window", "answer", "question"),
    *("version", "branch", "memory", "passage", "number", "garden", "tomato"),
]
_HAN = "我们在里斯本买了一本笔记今天天气很好海边的灯塔看守人修理镜片"
# What people type: a usual word, a rare one, two, a phrase, two Chinese characters, nothing found.
_TYPED = ("harbour", "zanzibar", "lighthouse keeper", '"copper wire"', "笔记", "nowhere-at-all")


class _Nothing:
    def threads(self):
        return []


def rows():
    found = []
    with tempfile.TemporaryDirectory() as folder:
        finder = Finder(Path(folder), _Nothing())
        dice, made = random.Random(7), 0
        for size in _SIZES:
            began = time.perf_counter()
            for start in range(made, size, 500):
                many = range(start, min(start + 500, size))
                finder.index.put("bulk", [_said(n, dice) for n in many])
            put = (time.perf_counter() - began) / (size - made)
            made = size
            times = {typed: _seconds(finder, typed) for typed in _TYPED}
            slowest = max(times, key=times.get)
            for typed, seconds in times.items():
                plots.note("Finding", "messages", "ms", typed, size, seconds * 1000)
            what = f"first page of hits among {size:,} messages, the slowest of {len(_TYPED)}"
            found.append((f"{what} ({slowest})", f"{times[slowest] * 1000:.1f} ms", "≤ 100 ms"))
        found.append((f"taking a message into the index of {size:,}", f"{put * 1000:.2f} ms", ""))
        finder.close()
    return found


def _said(number, dice):
    words = " ".join(dice.choices(_WORDS, k=60))
    words += " zanzibar" if number % 5_000 == 77 else ""
    words += "".join(dice.choices(_HAN, k=20)) if number % 10 == 0 else ""
    return Said(f"t{number % _THREADS}", f"m{number}", "user", number, words)


def _seconds(finder, typed):
    times = []
    for _ in range(7):
        began = time.perf_counter()
        finder.find(typed, Filters(), lambda _: True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)
