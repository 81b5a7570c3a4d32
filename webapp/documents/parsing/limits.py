"""How much one file may ask for before it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MB: Final = 1_000_000


@dataclass(frozen=True)
class Limits:
    """`seconds` counts from the start; each page adds `seconds_a_page`, each page whose picture is
    read `seconds_to_ocr_a_page`. `memory_bytes` is what the reading program may take."""

    file_bytes: int = 20 * MB
    seconds: float = 60.0
    seconds_a_page: float = 0.2
    seconds_to_ocr_a_page: float = 30.0
    memory_bytes: int = 512 << 20
    characters: int = 20_000_000
    pages: int = 5_000
    pages_to_ocr: int = 200
    picture_pixels: int = 40_000_000


USUAL: Final = Limits()
