"""`python -m tests.benchmarks [WORD…]`: one table of what each `bench_*.py` here measures.

Such a module has `rows()`, which gives (what, measured, target), as text; a word picks modules by
name. A figure that misses its target fails nothing: it is for a person to judge. What grows with
size is drawn too, in `build/benchmarks/`."""

import importlib
import pkgutil
import sys
import time
from pathlib import Path

from tests import benchmarks
from tests.benchmarks import plots


def modules(words):
    names = sorted(found.name for found in pkgutil.iter_modules(benchmarks.__path__))
    wanted = [name for name in names if name.startswith("bench_")]
    return [name for name in wanted if not words or any(word in name for word in words)]


def measured(name):
    began = time.monotonic()
    try:
        rows = [
            tuple(map(str, row)) for row in importlib.import_module(f"{__package__}.{name}").rows()
        ]
    except Exception as error:  # the others still have something to tell
        rows = [(name, f"broke off: {type(error).__name__}: {error}", "")]
    sys.stderr.write(f"{name}: {time.monotonic() - began:.0f} s\n")
    return rows


def table(rows):
    rows = [("what", "measured", "target"), *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def main(words):
    found = modules(words)
    sys.stdout.write(table([row for name in found for row in measured(name)]) + "\n")
    for path in plots.written(Path("build", "benchmarks")):
        sys.stdout.write(f"drawn: {path}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
