"""The thread store against its own smaller self and against rewriting whole files."""

import json
import os
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from webapp.chat.messages import new_message, new_thread
from webapp.chat.records import Patch, Put, Record
from webapp.threads.jsonl import JsonlThreadStore

_WORDS = "The harbour wall keeps the wind off until noon. "


def rows() -> list[tuple[str, str, str]]:
    """What was measured, its figure, and the target."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        return [*_lengths(root), _rewriting(root), *_opening(root), *_listing(root)]


def _lengths(root: Path) -> list[tuple[str, str, str]]:
    store = _store(root)
    for size in (100, 100_000):
        _fill(store, root, f"t{size}", size, 200)
    found = []
    for what, record in _CHANGES.items():
        short, long = _in_turns(
            lambda n, record=record: store.write("t100", [record("t100", n)]),
            lambda n, record=record: store.write("t100000", [record("t100000", n)]),
        )
        found.append((f"{what} at 100,000 messages / at 100", f"{long / short:.2f}", "≤ 1.5"))
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
    for number in range(10_000):
        folder = lists / "threads" / f"thread-{number:05}"
        folder.mkdir()
        thread = new_thread(id=folder.name, title=f"Walk {number}", created=number)
        (folder / "thread.json").write_text(json.dumps(dict(thread.data)))
    store = _store(lists)
    cold = _seconds(store.list_threads)
    warm = min(_seconds(store.list_threads) for _ in range(10))
    bare = min(_seconds(lambda: _look_at_each(lists / "threads")) for _ in range(10))
    return [
        (
            f"list 10,000 threads, warm (a bare look at each: {bare * 1000:.0f} ms)",
            f"{warm * 1000:.0f} ms",
            "≤ 50 ms",
        ),
        ("list 10,000 threads, cold", f"{cold:.2f} s", "≤ 1.5 s"),
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


def _in_turns(first: Callable[[int], None], second: Callable[[int], None]) -> tuple[float, float]:
    """Medians of both, measured alternately so that a busy machine is unfair to neither."""
    times = [(_seconds(lambda n=n: first(n)), _seconds(lambda n=n: second(n))) for n in range(60)]
    return (
        statistics.median(each[0] for each in times),
        statistics.median(each[1] for each in times),
    )


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
