"""When models may do what nobody waits for."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from webapp.engines.engine import Engine
from webapp.engines.memory import available_bytes
from webapp.generation.service import GenerationService

ROOM_BYTES: Final = 1 << 30
_LOOKS_AGAIN: Final = 30.0  # seconds


@lru_cache(maxsize=1)
def _free_in(_moment: int) -> int | None:
    return available_bytes()


def is_quiet(
    generation: GenerationService,
    engine: Engine,
    free_bytes: Callable[[], int | None] = lambda: _free_in(int(time.monotonic() / _LOOKS_AGAIN)),
) -> bool:
    """Nobody waits for an answer, no model has to be woken, and there is room for another."""
    if not generation.is_quiet() or engine.describe().state != "ready":
        return False
    free = free_bytes()
    return free is None or free > ROOM_BYTES
