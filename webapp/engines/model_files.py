"""Can this model file be loaded here? Told in a sentence before anything native touches it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from webapp.engines.gguf_head import GgufHead, read_head
from webapp.errors import ModelFileMissing


def check_chat_model(path: Path, context_tokens: int, available: int | None) -> None:
    """Raise ModelFileMissing unless `path` is a whole chat model that fits into memory.

    `available` is in bytes, None when it is not known; a context of 0 is the model's own."""
    head = read_head(path)
    if head.role != "chat":
        raise ModelFileMissing(
            f"{path} is an embedding model; it cannot answer.", do="Choose a chat model."
        )
    _check_memory(path, head, _context(head, context_tokens), available)


def chat_need_bytes(path: Path, context_tokens: int) -> int:
    """What `check_chat_model` would ask for; 0 for a file that is no whole model."""
    try:
        facts = path.stat()
        head = _head_of(path, facts.st_size, facts.st_mtime_ns)
    except (OSError, ModelFileMissing):
        return 0
    return head.memory_bytes(_context(head, context_tokens))


@lru_cache(maxsize=64)
def _head_of(path: Path, _size: int, _changed: int) -> GgufHead:
    """Vocabularies take a moment to walk: a page that shows a need must not wait for them twice."""
    return read_head(path)


def _context(head: GgufHead, wanted: int) -> int:
    trained = head.context_tokens or wanted
    return min(wanted or trained, trained)


def check_embed_model(path: Path, available: int | None) -> None:
    """The same for an embedding model."""
    head = read_head(path)
    if head.role != "embedding":
        raise ModelFileMissing(
            f"{path} is not an embedding model.", do="Choose an embedding model."
        )
    _check_memory(path, head, 0, available)


def unloadable(path: Path, reason: str) -> ModelFileMissing:
    """The error for a file that llama.cpp refused, with its own words if there are any."""
    because = f": {reason.rstrip('.')}" if reason else ""
    return ModelFileMissing(
        f"The model file {path} cannot be loaded; it is damaged or of a kind that this version "
        f"does not know{because}.",
        do="Check it with 'strata models verify', fetch it again, or choose another file.",
    )


def _check_memory(path: Path, head: GgufHead, context: int, available: int | None) -> None:
    needed = head.memory_bytes(context)
    if available is None or needed <= available:
        return
    with_context = f" with a context of {context:,} tokens" if context else ""
    shorter = ", or set a smaller window" if context else ""
    raise ModelFileMissing(
        f"The model {path}{with_context} needs about {_gigabytes(needed)} of memory; "
        f"{_gigabytes(available)} are free.",
        do=f"Close other programs, choose a smaller model{shorter}.",
    )


def _gigabytes(size: int) -> str:
    return f"{size / 1024**3:,.1f} GiB"
