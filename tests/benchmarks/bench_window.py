"""Planning a long conversation again, and how much a model reads again past a full window."""

import gc
from statistics import median
from time import process_time

from webapp.chat.estimate import estimate
from webapp.chat.limits import Limits, limits
from webapp.chat.messages import Message, new_message
from webapp.chat.reach import Trim
from webapp.chat.scales import Scales
from webapp.chat.window import plan

LONG, SHORT, ROUNDS, TURNS = 20_001, 2_001, 30, 30
WORDS = "The moon pulls the water, and the shore turns under it twice a day. "


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, target), one row each."""
    return [planning(), first_planning(), reading()]


def planning() -> tuple[str, str, str]:
    window = limits(8192, 2048, 0)
    short, long = (again(talk(length), window) for length in (SHORT, LONG))
    figures = f"{long * 1e3:.1f} ms ({long / short:.1f} times {SHORT:,})"
    return f"window: plan {LONG:,} messages again, 8,192 tokens (CPU)", figures, "<= 20 ms"


def first_planning() -> tuple[str, str, str]:
    path, scales = talk(LONG), Scales()
    start = process_time()
    plan(path, scales, limits(8192, 2048, 0), compact="when_full")
    return (
        f"window: the first plan of {LONG:,} messages (CPU)",
        f"{(process_time() - start) * 1e3:.0f} ms",
        "",
    )


def again(path: list[Message], window: Limits) -> float:
    """Median seconds of the processor once every message is known; the collector rests."""
    scales = Scales()
    plan(path, scales, window, compact="when_full")
    times = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(ROUNDS):
            start = process_time()
            plan(path, scales, window, compact="when_full")
            times.append(process_time() - start)
    finally:
        gc.enable()
    return median(times)


def reading() -> tuple[str, str, str]:
    steady, naive = read_again("steady"), read_again("exact")
    figures = f"{steady / naive:.2f} ({steady:,} / {naive:,} tokens)"
    return f"window: re-read over {TURNS} turns past the limit / naive walk", figures, "<= 0.25"


def read_again(trim: Trim) -> int:
    """Estimated tokens of all requests behind what each shares with the one before."""
    window, scales = limits(2048, 512, 0), Scales()
    path, before, read = talk(21), "", 0
    for turn in range(TURNS + 1):
        planned = plan(path, scales, window, instructions="Be brief.", trim=trim)
        request = "\n".join(f"{role}: {content}" for role, content in planned.parts)
        if turn:
            read += estimate(request[shared(before, request) :])
        answer = said(f"a{turn}", "assistant", usage={"window_start": planned.window_start})
        before = f"{request}\nassistant: {answer.text}"
        path = [*path, answer, said(f"q{turn}", "user")]
    return read


def shared(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


def talk(length: int) -> list[Message]:
    return [said(f"m{at}", ("user", "assistant")[at % 2]) for at in range(length)]


def said(id: str, role: str, **metadata: object) -> Message:
    text = f"{id}: {WORDS * 4}"
    return new_message(id=id, thread_id="t", role=role, text=text, created_at=0, metadata=metadata)
