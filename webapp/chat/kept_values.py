"""Values out of stored JSON that may hold anything: each comes out as its type, or as nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

LARGEST = 1e15  # times in milliseconds are among them


def mappings(value: object) -> list[Mapping[str, Any]]:
    """The objects of a list; whatever else is in it keeps its place as an empty one."""
    if not isinstance(value, list):
        return []
    return [each if isinstance(each, Mapping) else {} for each in value]


def number(value: object) -> float:
    """0 or more, and finite; 0 for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    return float(value) if 0 <= value < LARGEST and math.isfinite(value) else 0.0


def word(value: object) -> str:
    return value if isinstance(value, str) else ""


def flag(value: object) -> bool:
    return value is True


def span(value: object) -> tuple[int, int] | None:
    """Two whole numbers, the second larger than the first."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return None
    start, end = value
    if type(start) is not int or type(end) is not int or not 0 <= start < end < LARGEST:
        return None
    return start, end
