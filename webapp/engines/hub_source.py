"""Files from the model hub, through its own client library.

The client gives addresses, access tokens, mirrors (HF_ENDPOINT) and HF_HUB_OFFLINE; the bytes are
read here, so that a download goes on at any byte, also one that another source began.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2  # what the client library itself speaks with; its errors are of this library
from huggingface_hub import get_hf_file_metadata, get_session, hf_hub_url
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled
from huggingface_hub.utils import (  # type: ignore[attr-defined] # documented, not in __all__
    build_hf_headers,
    hf_raise_for_status,
)

from webapp.engines.catalog import HubSource
from webapp.engines.progress import Meter
from webapp.engines.sources import Job, SourceFailed

_ANSWER_SECONDS = 8.0
_SILENCE_SECONDS = 30.0
_CHUNK = 1 << 20
_FRUITLESS_ATTEMPTS = 3
_BROKEN = (httpx2.TransportError, httpx2.StreamError)
_REFUSED = (httpx2.HTTPError, httpx2.InvalidURL, HfHubHTTPError, OfflineModeIsEnabled)


@dataclass(frozen=True)
class HubFile:
    """What the hub says of a file. `sha256` is empty for small files, which it keeps otherwise."""

    size: int
    sha256: str


def look_up(source: HubSource, meter: Meter) -> HubFile:
    """Raises SourceFailed within seconds when there is no way to the hub."""
    meter.report("asking the model hub", 0, 0)
    url = hf_hub_url(source.repo, source.file)
    about = _within_seconds(lambda: get_hf_file_metadata(url, timeout=_ANSWER_SECONDS / 2), meter)
    etag = about.etag or ""
    is_sha256 = len(etag) == 64 and all(digit in "0123456789abcdef" for digit in etag)
    return HubFile(about.size or 0, etag if is_sha256 else "")


def _within_seconds(ask: Callable[[], Any], meter: Meter) -> Any:
    """Looking up a name can take minutes when the network is half there, and nothing ends it;
    so it happens on a thread that is left behind."""
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def run() -> None:
        try:
            answers.put(ask())
        except (*_REFUSED, OSError, HFValidationError) as error:
            answers.put(SourceFailed(_reason(error)))

    threading.Thread(target=run, name="hub look-up", daemon=True).start()
    for _ in range(int(_ANSWER_SECONDS / 0.2)):
        meter.check()
        try:
            answer = answers.get(timeout=0.2)
        except queue.Empty:
            continue
        if isinstance(answer, SourceFailed):
            raise answer
        return answer
    raise SourceFailed(f"no answer within {_ANSWER_SECONDS:.0f} seconds")


def download(source: HubSource, job: Job) -> None:
    """Go on with the part until it is whole. Raises SourceFailed; what came is kept."""
    there = look_up(source, job.meter)
    if there.size not in (0, job.total_bytes) or there.sha256 not in ("", job.sha256):
        raise SourceFailed("it has another version of the file")
    failures = 0
    while (before := job.part.size()) < job.total_bytes:
        try:
            job.part.append(_stream(source, job, before))
        except _BROKEN as error:
            failures = 0 if job.part.size() > before else failures + 1
            if failures == _FRUITLESS_ATTEMPTS:
                raise SourceFailed(_reason(error)) from error
            job.meter.wait(0.5 * (failures + 1))
        except _REFUSED as error:
            raise SourceFailed(_reason(error)) from error


def _stream(source: HubSource, job: Job, begin: int) -> Iterator[bytes]:
    headers = build_hf_headers() | {"Accept-Encoding": "identity"}
    if begin:
        headers["Range"] = f"bytes={begin}-"
    url = hf_hub_url(source.repo, source.file)
    with get_session().stream("GET", url, headers=headers, timeout=_SILENCE_SECONDS) as answer:
        hf_raise_for_status(answer)
        if begin and answer.status_code != 206:
            job.part.cut(0)
            begin = 0
        for chunk in answer.iter_bytes(_CHUNK):
            begin += len(chunk)
            if begin > job.total_bytes:
                raise SourceFailed("it sent more than the file has")
            yield chunk
            job.meter.report("downloading", begin, job.total_bytes)


def _reason(error: Exception) -> str:
    """The first line of what the client says: the rest is addresses and request numbers."""
    if isinstance(error, OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE is set"
    if isinstance(error, httpx2.ConnectError):
        return "it cannot be reached"
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
