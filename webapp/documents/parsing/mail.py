"""E-mails: who, to whom, about what and when; the text; the names of what is attached."""

from __future__ import annotations

import email
import itertools
import re
from collections.abc import Iterator
from email.message import EmailMessage, MIMEPart
from email.policy import default
from itertools import pairwise
from typing import Final

from webapp.documents.document import Document
from webapp.documents.parsing.cleaning import has_words, one_line
from webapp.documents.parsing.encoding import decode
from webapp.documents.parsing.html_text import write_html
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer
from webapp.errors import Unreadable

_MANY: Final = (".mbox",)
_BEGIN: Final = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From \S.*\d{4}[ \t]*\r?$", re.MULTILINE)
_MOST_FORWARDED: Final = 50
_ENCRYPTED: Final = (
    "multipart/encrypted",
    "application/pkcs7-mime",
    "application/x-pkcs7-mime",
)
_SHOWN: Final = ("From", "To", "Cc", "Date", "Subject")
_FIELD: Final = re.compile(rb"[A-Za-z][A-Za-z0-9-]{0,70}:[ \t]?.*|[ \t].*|From .*")
_TELLING: Final = (b"from:", b"to:", b"subject:", b"date:", b"received:", b"message-id:")


class MailParser:
    name = "E-mail"
    suffixes = (".eml", ".mht", ".mhtml", *_MANY)
    has_signature = False

    def recognises(self, source: Source) -> bool:
        return source.suffix in self.suffixes or (
            source.suffix == "" and _starts_with_fields(source.head)
        )

    def parse(self, source: Source) -> Document:
        writer, notes = Writer(source.limits.characters), dict[str, None]()
        mails = _parted(source.data) if source.suffix in _MANY else [source.data]
        for number, data in enumerate(mails, 1):
            title = _write_mail(writer, data, number, notes)
            source.progress(number, len(mails))
        title = title if len(mails) == 1 else ""
        return writer.document(title, notes=tuple(notes), details=(("format", self.name),))


def _parted(data: bytes) -> list[bytes]:
    """The mails of a mailbox: each begins with a line of its own behind an empty one."""
    starts = [found.start() for found in _BEGIN.finditer(data)] or [0]
    return [data[at:end] for at, end in pairwise([*starts, len(data)])]


def _write_mail(writer: Writer, data: bytes, number: int, notes: dict[str, None]) -> str:
    """What it is about comes back; what was not read is added to `notes`."""
    message = email.message_from_bytes(data, _class=EmailMessage, policy=default)
    subject = _field(message, "Subject", data)
    writer.begin("message", subject or "without a subject", number)
    for one in (message, *_forwarded(message)):
        _write_message(writer, one, data)
    attached = list(_attached(message))
    writer.paragraph(f"Attached: {', '.join(attached)}" if attached else "")
    notes |= dict.fromkeys(_notes(message, attached))
    return subject


def _write_message(writer: Writer, message: EmailMessage, around: bytes) -> None:
    fields = [(name, _field(message, name, around)) for name in _SHOWN]
    writer.paragraph("\n".join(f"{name}: {value}" for name, value in fields if value))
    _write_body(writer, message)


def _write_body(writer: Writer, message: EmailMessage) -> None:
    """The plain text if it says anything, else the HTML; where neither is marked as the body,
    whatever is text."""
    for part in list(_bodies(message)) or list(_texts(message)):
        if part.get_content_subtype() == "html":
            write_html(writer, _text(part))
        else:
            writer.paragraph(_text(part))


def _bodies(message: MIMEPart) -> Iterator[EmailMessage]:
    """Texts may stand one after the other, with pictures between them; of those that say the same
    it is one."""
    if message.get_content_type() == "multipart/mixed":
        for part in message.iter_parts():
            inside = not part.get_filename() and not part.is_attachment()
            if inside and part.get_content_maintype() != "message":
                yield from _bodies(part)
        return
    bodies = [message.get_body((kind,)) for kind in ("plain", "html")]
    marked = [one for one in bodies if isinstance(one, EmailMessage)]
    said = [one for one in marked if has_words(_text(one))]
    yield from said[:1] or marked[:1]


def _texts(message: EmailMessage) -> Iterator[EmailMessage]:
    if message.get_content_maintype() == "text":
        yield message
    elif message.get_content_maintype() == "multipart" and message.is_multipart():
        for part in message.iter_parts():
            if isinstance(part, EmailMessage):
                yield from _texts(part)


def _forwarded(message: EmailMessage) -> Iterator[EmailMessage]:
    """Messages inside this one, the first so many."""
    inside = (part for part in message.walk() if part.get_content_type() == "message/rfc822")
    for part in itertools.islice(inside, _MOST_FORWARDED):
        payload = part.get_payload()
        if isinstance(payload, list) and isinstance(payload[0], EmailMessage):
            yield payload[0]


def _text(part: EmailMessage) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        return decode(data, str(part.get_param("charset", ""))).text
    except Unreadable:  # one part that is no text does not spoil the others
        return ""


def _attached(message: EmailMessage) -> Iterator[str]:
    for part in message.walk():
        name = part.get_filename() if part is not message else None
        if name:
            yield one_line(name)


def _notes(message: EmailMessage, attached: list[str]) -> Iterator[str]:
    if any(part.get_content_type() in _ENCRYPTED for part in message.walk()):
        yield "The text of this e-mail is encrypted and was not read."
    elif attached:
        yield "Files attached to this e-mail were not read; attach them here to have them read."


def _field(message: EmailMessage, name: str, around: bytes) -> str:
    """A header as words. Broken ones are shown as they came; raw bytes, which no standard allows,
    are in the encoding of what stands `around` them."""
    raw = next((raw for key, raw in message.raw_items() if key.lower() == name.lower()), "")
    if any("\udc80" <= char <= "\udcff" for char in str(raw)):
        return _raw_words(str(raw), around)
    try:
        value = message.get(name)
    except (ValueError, IndexError, AttributeError, TypeError, LookupError):
        value = raw
    return one_line(str(value or ""))


def _raw_words(raw: str, around: bytes) -> str:
    data = raw.encode("utf-8", "surrogateescape")
    try:
        return one_line(decode(data, decode(around).encoding).text)
    except Unreadable:
        return one_line(raw)


def _starts_with_fields(head: bytes) -> bool:
    lines = head.split(b"\n\n")[0].replace(b"\r", b"").split(b"\n\n")[0].split(b"\n")
    fields = [line for line in lines[:-1] or lines if line]
    told = sum(line.lower().startswith(_TELLING) for line in fields)
    return told >= 2 and all(_FIELD.fullmatch(line) for line in fields)
