"""Errors that a person may read: what happened, and what to do about it.

`web/errors.py` alone maps these classes to HTTP statuses; the command line prints the same two
sentences. Anything that is not a `StrataError` is a fault of ours and goes to the log.
"""


class StrataError(Exception):
    """What happened, in one sentence, and what a person can do about it, in another."""

    def __init__(self, what: str, do: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.do = do

    def __str__(self) -> str:
        return f"{self.what} {self.do}".strip()


class NotFound(StrataError):
    """A thread, message, file or model that is not there."""


class BadInput(StrataError):
    """What was sent cannot be used as it is."""


class Unreadable(BadInput):
    """A file that is no document we can read; `code` says why, in one word for programs."""

    def __init__(self, what: str, do: str = "", code: str = "damaged") -> None:
        super().__init__(what, do)
        self.code = code


class Conflict(StrataError):
    """The thing changed meanwhile, is in use, or is already being done."""


class Forbidden(StrataError):
    """Not from here, or not by this person."""


class NotAllowed(StrataError):
    """Seen by this person, and not theirs to change."""


class TooOften(StrataError):
    """Tried again before the wait of `seconds` is over."""

    def __init__(self, what: str, do: str = "", seconds: int = 1) -> None:
        super().__init__(what, do)
        self.seconds = seconds


class Busy(TooOften):
    """So many ask for it at once that it could not be done in time."""


class StorageFailed(StrataError):
    """The disk refused: full, read-only, gone. Nothing was saved unless said otherwise."""


class Damaged(StrataError):
    """A file of ours cannot be read whole; writing to it is refused so that nothing is lost."""


class AlreadyRunning(StrataError):
    """Another Strata holds this data directory or this port."""


class EngineFailed(StrataError):
    """The model could not answer; text that came before is kept."""


class ModelFileMissing(EngineFailed):
    """A model file is missing, is no model, or does not fit into memory."""


class DownloadFailed(StrataError):
    """A model could not be fetched from any of its sources."""


class BadSetting(StrataError):
    """A setting is unknown or out of its range."""
