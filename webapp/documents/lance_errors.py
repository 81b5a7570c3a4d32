"""What LanceDB raises, in words.

It has hardly any classes of its own, so its texts tell; they name paths and build machines and are
for the log only.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal

from webapp.errors import Damaged, StorageFailed, StrataError

log = logging.getLogger(__name__)

_FULL: Final = ("no space left", "file too large", "quota exceeded", "os error 28", "os error 27")
_REFUSED: Final = (
    "permission denied",
    "read-only file system",
    "os error 13",
    "os error 30",
    "os error 1)",
)


@contextmanager
def in_words(doing: Literal["read", "saved"]) -> Iterator[None]:
    """Turn what the library raises into StorageFailed (the disk) or Damaged (the table)."""
    try:
        yield
    except (ValueError, RuntimeError, OSError) as error:
        raise _error(error, doing) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of its Rust part; it is no Exception
            raise
        raise _error(error, doing) from error


def is_missing(error: ValueError) -> bool:
    return "was not found" in str(error)


def _error(error: BaseException, doing: Literal["read", "saved"]) -> StrataError:
    log.warning("passages could not be %s: %s", doing, error)
    text = str(error).lower()
    if any(words in text for words in _FULL):
        return StorageFailed(
            f"The passages could not be {doing}: the disk is full.",
            "Free some space and try again.",
        )
    if any(words in text for words in _REFUSED):
        return StorageFailed(
            f"The passages could not be {doing}: the data directory does not allow it.",
            "Check the permissions of the data directory and try again.",
        )
    return Damaged(
        f"The passages of these files could not be {doing}.",
        "Read the files again; the files themselves are kept apart from this and are safe.",
    )
