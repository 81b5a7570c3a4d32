"""How fast a model reads and writes on this machine: one short request, ten seconds at most."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from webapp import durable
from webapp.engines.engine import Engine, Finished, Reading, Request, Sampling, Turn
from webapp.errors import StrataError

log = logging.getLogger(__name__)

SECONDS: Final = 10.0
_REQUEST: Final = "speed-test"
_WRITTEN: Final = 64
_WORDS: Final = (
    "The harbour wall keeps the wind off until noon, and the boats lie still in a row. "
    "Whoever comes late finds the gate closed and waits for the second tide of the day. "
)


@dataclass(frozen=True)
class Speed:
    """Tokens a second, 0 for what there was no time to measure; `at` in milliseconds since 1970."""

    reading: float
    writing: float
    at: int = 0


def measure(engine: Engine, clock: Callable[[], float] = time.monotonic) -> Speed:
    """Waits in the engine's queue first. Raises EngineFailed."""
    # Another beginning each time, so that nothing of it is remembered.
    question = f"Text {time.time_ns()}: {_WORDS * 4}\n\nContinue the text in your own words."
    sampling = Sampling(temperature=0.0)
    request = Request(_REQUEST, (Turn("user", question),), _WRITTEN, sampling)
    begun: float | None = None
    read = 0.0
    for event in engine.generate(request):
        now = clock()
        begun = now if begun is None else begun
        if isinstance(event, Reading) and now > begun:
            read = (event.done - event.reused) / (now - begun)
        elif isinstance(event, Finished):
            return _speed(event, read)
        if now - begun > SECONDS:
            engine.cancel(_REQUEST)
    return Speed(round(read, 1), 0.0)


def _speed(end: Finished, read: float) -> Speed:
    written = 0.0
    if end.output_tokens and end.first_token_seconds > 0:
        read = (end.prompt_tokens - end.reused_tokens) / end.first_token_seconds
    rest = end.total_seconds - end.first_token_seconds
    if end.output_tokens > 1 and rest > 0:
        written = (end.output_tokens - 1) / rest
    return Speed(round(read, 1), round(written, 1))


def _speed_of(found: dict[str, Any]) -> Speed:
    return Speed(float(found["reading"]), float(found["writing"]), int(found["at"]))


class Speeds:
    """What was measured, by the name of the model, in one small file that may be deleted."""

    def __init__(self, path: Path, clock_ms: Callable[[], int]) -> None:
        self._path = path
        self._clock_ms = clock_ms
        self._lock = threading.Lock()
        self._testing = ""
        self.problem = ""

    @property
    def testing(self) -> str:
        """The model that is being tested, or empty."""
        return self._testing

    def known(self) -> dict[str, Speed]:
        try:
            found = json.loads(self._path.read_text("utf-8"))
            return {str(name): _speed_of(each) for name, each in found.items()}
        except (OSError, ValueError, TypeError, AttributeError, KeyError, OverflowError):
            return {}

    def begin(self, engine: Engine) -> None:
        """In the background; nothing happens while another test runs."""
        with self._lock:
            if self._testing:
                return
            self._testing, self.problem = engine.describe().model or "?", ""
        threading.Thread(target=self._run, args=(engine,), name="speed", daemon=True).start()

    def _run(self, engine: Engine) -> None:
        name = self._testing
        try:
            speed = measure(engine)
            self._keep(
                {**self.known(), name: Speed(speed.reading, speed.writing, self._clock_ms())}
            )
        except StrataError as error:
            self.problem = str(error)
        except Exception:
            log.exception("the speed of %s was not measured", name)
            self.problem = "The speed could not be measured; the log says why."
        finally:
            self._testing = ""

    def _keep(self, known: dict[str, Speed]) -> None:
        value: dict[str, Any] = {name: asdict(each) for name, each in known.items()}
        with durable.saving(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        durable.replace(self._path, json.dumps(value, indent=1).encode())
