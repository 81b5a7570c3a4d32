"""What the folder of a table tells without the library: one look at its names."""

from __future__ import annotations

import os
from pathlib import Path

Mark = tuple[int, int, tuple[str, ...]]


def mark(folder: Path) -> Mark | None:
    """Another one after every change of the table; None when there is no table."""
    versions = folder / "_versions"
    try:
        stat = versions.stat()
        return stat.st_ino, stat.st_mtime_ns, tuple(sorted(os.listdir(versions)))  # noqa: PTH208
    except (FileNotFoundError, NotADirectoryError):
        return None


def is_untidy(folder: Path) -> bool:
    """Whether files of it hold what is no part of the table any more."""
    return _holds_old(folder) or bool(_newest(folder / "_deletions"))


def keeps_deleted(folder: Path) -> bool:
    """Whether rows that were deleted still lie in files of the table as it is now: certain when no
    older version is there, likely when nothing was written since."""
    deleted = _newest(folder / "_deletions")
    return deleted > 0 and (not _holds_old(folder) or _newest(folder / "data") <= deleted)


def _holds_old(folder: Path) -> bool:
    found = mark(folder)
    return found is not None and sum(name.endswith(".manifest") for name in found[2]) > 1


def _newest(folder: Path) -> int:
    """When the last file in it was written, in nanoseconds; 0 without one."""
    return max((path.stat().st_mtime_ns for path in folder.glob("*")), default=0)
