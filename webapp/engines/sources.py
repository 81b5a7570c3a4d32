"""What every source of a download shares."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.engines.part_file import PartFile
from webapp.engines.progress import Meter


class SourceFailed(Exception):
    """This source did not give the file; the text says why, for a person. The next may."""


@dataclass(frozen=True)
class Job:
    """What a source works on: append to `part` until it has `total_bytes`, tell `meter`. A source
    that knows the `sha256` of what it has can say no before sending it."""

    part: PartFile
    total_bytes: int
    sha256: str
    meter: Meter
