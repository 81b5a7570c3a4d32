"""The thread store against its own smaller self and against rewriting whole files."""

import json
import os
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import plots
from webapp.chat.messages import new_message, new_thread
from webapp.chat.records import Patch, Put, Record
from webapp.threads.jsonl import JsonlThreadStore

_LENGTHS = (100, 1_000, 10_000, 100_000)
_LISTS = (100, 1_000, 10_000)
_WORDS = "The harbour wall keeps the wind off until noon. "


def rows() -> list[tuple[str, str, str]]:
    """What was measured, its figure, and the target."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        return [*_lengths(root), _rewriting(root), *_opening(root), *_listing(root)]


def _lengths(root: Path) -> list[tuple[str, str, str]]:
    store = _store(root)
    for size in _LENGTHS:
        _fill(store, root, f"t{size}", size, 200)
    found = []
    for what, record in _CHANGES.items():
        times = _in_turns(
            *(
                lambda n, record=record, size=size: store.write(f"t{size}", [record(f"t{size}", n)])
                for size in _LENGTHS
            )
        )
        for size, seconds in zip(_LENGTHS, times, strict=True):
            plots.note("Changing a thread", "messages in it", "ms", what, size, seconds * 1000)
        ratio = times[-1] / times[0]
        found.append((f"{what} at 100,000 messages / at 100", f"{ratio:.2f}", "≤ 1.5"))
    return found


def _rewriting(root: Path) -> tuple[str, str, str]:
    """An edit as in the original study: read all, change one, write all; ours is one append."""
    store = _store(root)
    _fill(store, root, "edited", 20_000, 3000)
    copy = root / "copy.jsonl"
    copy.write_bytes(_log(root, "edited").read_bytes())
    theirs = statistics.median(_seconds(lambda: _rewrite_whole(copy, "m77")) for _ in range(3))
    ours = statistics.median(
        _seconds(lambda n=n: store.write("edited", [_edit("edited", n)])) for n in range(40)
    )
    what = f"edit at 20,000 messages: whole-file rewrite ({theirs * 1000:.0f} ms) / ours"
    return what, f"{theirs / ours:.0f}", "≥ 200"


def _opening(root: Path) -> list[tuple[str, str, str]]:
    size = _log(root, "edited").stat().st_size
    seconds = min(_seconds(lambda: _store(root).read("edited")) for _ in range(3))
    bare = min(_seconds(lambda: _parse_whole(_log(root, "edited"))) for _ in range(3))
    with _log(root, "edited").open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff\0torn")
    damaged = _seconds(lambda: _store(root).read("edited"))
    what = f"open 20,000 messages, {size / 1e6:.0f} MB, cold (its JSON alone: {bare:.2f} s)"
    return [
        (what, f"{seconds:.2f} s", "≤ 2 s"),
        ("the same with a damaged line in the middle", f"{damaged:.2f} s", "≤ 2 s"),
        ("memory of it when loaded / its file", f"{_memory(root) / size:.2f}", "≤ 3"),
    ]


def _listing(root: Path) -> list[tuple[str, str, str]]:
    lists = root / "lists"
    _store(lists)
    made = 0
    for size in _LISTS:
        for number in range(made, size):
            folder = lists / "threads" / f"thread-{number:05}"
            folder.mkdir()
            thread = new_thread(id=folder.name, title=f"Walk {number}", created=number)
            (folder / "thread.json").write_text(json.dumps(dict(thread.data)))
        made = size
        store = _store(lists)
        cold = _seconds(store.list_threads)
        warm = min(_seconds(store.list_threads) for _ in range(10))
        bare = min(_seconds(lambda: _look_at_each(lists / "threads")) for _ in range(10))
        for line, seconds in (("cold", cold), ("warm", warm), ("a bare look at each", bare)):
            plots.note("Listing threads", "threads", "ms", line, size, seconds * 1000)
    return [
        (
            f"list {made:,} threads, warm (a bare look at each: {bare * 1000:.0f} ms)",
            f"{warm * 1000:.0f} ms",
            "≤ 50 ms",
        ),
        (f"list {made:,} threads, cold", f"{cold:.2f} s", "≤ 1.5 s"),
    ]


def _store(root: Path) -> JsonlThreadStore:
    return JsonlThreadStore(root, lambda: time.time_ns() // 1_000_000)


def _fill(store: JsonlThreadStore, root: Path, thread_id: str, count: int, letters: int) -> None:
    store.create_thread(new_thread(id=thread_id, title="Long", created=1))
    text = (_WORDS * (letters // len(_WORDS) + 1))[:letters]
    for start in range(0, count, 5000):
        numbers = range(start, min(start + 5000, count))
        store.write(thread_id, [Put(_message(thread_id, f"m{n}", text)) for n in numbers])
    store.read(thread_id)


def _message(thread_id: str, id: str, text: str):
    return new_message(
        id=id,
        thread_id=thread_id,
        role="user",
        text=text,
        created_at=1,
        metadata={"parentId": None},
    )


def _append(thread_id: str, number: int) -> Record:
    return Put(_message(thread_id, f"new{number}", _WORDS * 4))


def _edit(thread_id: str, number: int) -> Record:
    return Put(_message(thread_id, f"m{number}", f"{number} " + _WORDS * 4))


def _switch(thread_id: str, number: int) -> Record:
    return Patch(f"m{number}", {"activeChildId": f"m{number + 1}"})


_CHANGES: dict[str, Callable[[str, int], Record]] = {
    "append": _append,
    "edit": _edit,
    "switch": _switch,
}


def _in_turns(*acts: Callable[[int], None]) -> list[float]:
    """Median seconds of each, measured in turns so that a busy machine is unfair to none."""
    times = [[_seconds(lambda n=n, act=act: act(n)) for act in acts] for n in range(60)]
    return [statistics.median(each) for each in zip(*times, strict=True)]


def _rewrite_whole(path: Path, id: str) -> None:
    messages = [json.loads(line) for line in path.read_bytes().splitlines()]
    for message in messages:
        if message["id"] == id:
            message["content"][0]["text"]["value"] = "edited"
    with path.open("w") as file:
        for message in messages:
            file.write(json.dumps(message) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _parse_whole(path: Path) -> list[object]:
    with path.open("rb") as file:
        return [json.loads(line) for line in file]


def _look_at_each(threads: Path) -> None:
    for name in os.listdir(threads):  # noqa: PTH208 - the fastest way there is
        os.stat(f"{threads}/{name}/thread.json")  # noqa: PTH116


def _memory(root: Path) -> int:
    store = _store(root)
    tracemalloc.start()
    contents = store.read("edited")
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert contents.messages
    return used


def _log(root: Path, thread_id: str) -> Path:
    return root / "threads" / thread_id / "messages.jsonl"


def _seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start
