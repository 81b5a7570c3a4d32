"""Documents that are zip archives: looked at before they are opened, read member by member."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Mapping
from functools import cached_property
from types import TracebackType
from typing import Final
from urllib.parse import unquote

from lxml import etree

from webapp.documents.parsing import refusals
from webapp.documents.parsing.limits import MB
from webapp.documents.parsing.parser import Source

ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_ARCHIVES: Final = (
    *ZIP,
    *(b"Rar!", b"7z\xbc\xaf", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"MSCF"),
)
_TAR: Final = b"ustar"
_TAR_AT: Final = 257
_MOST_BYTES: Final = 200 * MB
_MOST_XML: Final = 100 * MB
_MOST_ENTRIES: Final = 5_000
_RATIO_FROM: Final = 10 * MB
_MOST_RATIO: Final = 100
_BLOWN_UP: Final = "amplification"  # as the library says it
_XML: Final = (".xml", ".rels", ".xhtml", ".html", ".opf", ".ncx", ".vml")


class Archive:
    """Opening it raises Unreadable for a bomb, a locked archive, and one that is damaged.

    Limits are for what the archive declares; more than it declares is never read."""

    def __init__(self, source: Source) -> None:
        try:
            self._zip = zipfile.ZipFile(source.path)
        except zipfile.BadZipFile as fault:
            raise refusals.damaged() from fault
        try:
            _look_at(self._zip.infolist(), source.path.stat().st_size)
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._zip.close()

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(self._zip.namelist())

    def read(self, name: str) -> bytes:
        """KeyError when there is no such member."""
        with self._zip.open(name) as member:
            data = member.read(_MOST_XML + 1)
        if len(data) > _MOST_XML:
            raise refusals.bomb()
        return data

    def xml(self, name: str) -> etree._Element:
        """The root of an XML member, see `xml_of`."""
        return xml_of(self.read(name))

    def with_members(self, changed: Mapping[str, bytes]) -> io.BytesIO:
        """The same archive, not packed, with other contents under these names."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as copy:
            for name in sorted(self.names):
                copy.writestr(name, changed[name] if name in changed else self._zip.read(name))
        out.seek(0)
        return out

    def related(self, part: str) -> dict[str, tuple[str, str]]:
        """By id: the kind (last word of its type) and the member that `part` points to."""
        folder, file = posixpath.split(part)
        rels = posixpath.join(folder, "_rels", f"{file}.rels")
        if rels not in self.names:
            return {}
        return {
            one.get("Id", ""): (
                one.get("Type", "").rsplit("/", 1)[-1],
                within(folder, one.get("Target", "")),
            )
            for one in self.xml(rels)
            if isinstance(one.tag, str) and one.get("TargetMode") != "External"
        }


def is_archive(head: bytes) -> bool:
    """Of other files: none of them is looked at."""
    return head.startswith(_ARCHIVES) or head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR


def within(folder: str, target: str) -> str:
    """The member that a link in `folder` means: unquoted, without a fragment."""
    path = unquote(target.split("#", 1)[0])
    return posixpath.normpath(posixpath.join("/", folder, path)).lstrip("/")


def xml_of(data: bytes) -> etree._Element:
    """The root of an XML file. Entities stay unresolved, nothing is fetched; such as grow without
    end are refused as a bomb."""
    try:
        root = etree.fromstring(data, _xml_parser())
    except etree.XMLSyntaxError as fault:
        if _BLOWN_UP in str(fault):
            raise refusals.bomb() from fault
        raise
    if root is None:
        raise refusals.damaged()
    return root


def local(element: etree._Element) -> str:
    """An element's name without its namespace, which differs between variants of one format."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1] if isinstance(tag, str) else ""


def attribute(element: etree._Element, name: str, default: str = "") -> str:
    """By local name, as in `local`."""
    for key, value in element.items():
        if str(key).rsplit("}", 1)[-1] == name:
            return str(value)
    return default


def _xml_parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=False, remove_comments=True
    )


def _look_at(entries: list[zipfile.ZipInfo], size: int) -> None:
    total = sum(entry.file_size for entry in entries)
    xml = max((entry.file_size for entry in entries if _is_xml(entry.filename)), default=0)
    if (
        total > _MOST_BYTES
        or xml > _MOST_XML
        or len(entries) > _MOST_ENTRIES
        or (total > _RATIO_FROM and total > _MOST_RATIO * size)
        or any(_leads_out(entry.filename) for entry in entries)
    ):
        raise refusals.bomb()
    if any(entry.flag_bits & 1 for entry in entries):
        raise refusals.password()


def _is_xml(name: str) -> bool:
    return name.lower().endswith(_XML)


def _leads_out(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    drive = parts[0][1:2] == ":"
    return ".." in parts or name.startswith(("/", "\\")) or drive
