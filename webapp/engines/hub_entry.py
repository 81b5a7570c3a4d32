"""A model that is not in the catalogue: any GGUF on the model hub, named by a person."""

from __future__ import annotations

import re
from threading import Event

from webapp.engines.catalog import Catalog, Download, Entry, HubSource
from webapp.engines.progress import Meter, silent
from webapp.engines.sources import SourceFailed
from webapp.errors import BadInput, Conflict, DownloadFailed

_WORD = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
_REFERENCE = re.compile(rf"({_WORD}/{_WORD})/((?:{_WORD}/){{0,8}}({_WORD}\.gguf))")


def is_hub_reference(name: str) -> bool:
    """Names in the catalogue have no slash."""
    return "/" in name


def hub_file(reference: str) -> str:
    """The name that a file of the hub gets here. Raises BadInput."""
    return _parts(reference)[1]


def hub_entry(reference: str, catalog: Catalog, cancel: Event | None = None) -> Entry:
    """Asks the hub for size and sha256. `reference` is owner/repository/file.gguf.

    Raises BadInput, Conflict when the catalogue has another file of that name, DownloadFailed
    when the hub cannot be reached or has no such file, Stopped."""
    source, file = _parts(reference)
    known = next((entry for entry in catalog.entries if entry.file == file), None)
    if known is not None and source in known.download.sources:
        return known
    if known is not None:
        raise Conflict(
            f"The catalogue already has a model file named {file}.",
            do=f"Use that one: 'strata models add {known.name}'.",
        )
    return _ask_hub(source, file, Meter(silent, file, cancel or Event()))


def _parts(reference: str) -> tuple[HubSource, str]:
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        raise BadInput(
            f"{reference!r} does not name a GGUF file on the model hub.",
            do="Write it as owner/repository/file.gguf.",
        )
    return HubSource(found[1], found[2]), found[3]


def _ask_hub(source: HubSource, file: str, meter: Meter) -> Entry:
    from webapp.engines.hub_source import look_up  # noqa: PLC0415 - as in fetch.py

    try:
        about = look_up(source, meter)
    except SourceFailed as failure:
        raise DownloadFailed(
            f"{source} did not give {source.file}: {failure}.",
            do="Check the name and the network, or copy the file into the models folder.",
        ) from failure
    if not about.sha256 or not about.size:
        raise DownloadFailed(
            f"{source} does not say what {source.file} must contain, so it cannot be checked.",
            do="Download it yourself and copy it into the models folder.",
        )
    name = file.removesuffix(".gguf")
    download = Download(file, about.size, about.sha256, (source,))
    return Entry(
        name=name,
        title=name,
        role="chat",
        file=file,
        bytes=about.size,
        sha256=about.sha256,
        licence=f"see {source.repo} on the model hub",
        context=0,
        memory=about.size,
        download=download,
    )
