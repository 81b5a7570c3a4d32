"""E-mails: who, to whom, about what and when; the text; the names of what is attached."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import default
from typing import Final

from webapp.documents.document import Document
from webapp.documents.parsing.cleaning import one_line
from webapp.documents.parsing.encoding import decode
from webapp.documents.parsing.html_text import write_html
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer
from webapp.errors import Unreadable

_SHOWN: Final = ("From", "To", "Cc", "Date", "Subject")
_FIELD: Final = re.compile(rb"[A-Za-z][A-Za-z0-9-]{0,70}:[ \t]?.*|[ \t].*|From .*")
_TELLING: Final = (b"from:", b"to:", b"subject:", b"date:", b"received:", b"message-id:")


class MailParser:
    name = "E-mail"
    suffixes = (".eml", ".mht", ".mhtml")
    has_signature = False

    def recognises(self, source: Source) -> bool:
        return source.suffix in self.suffixes or (
            source.suffix == "" and _starts_with_fields(source.head)
        )

    def parse(self, source: Source) -> Document:
        message = email.message_from_bytes(source.data, _class=EmailMessage, policy=default)
        writer = Writer(source.limits.characters)
        subject = _field(message, "Subject")
        writer.begin("message", subject or "without a subject")
        for name in _SHOWN:
            value = _field(message, name)
            writer.line(f"{name}: {value}" if value else "")
        _write_body(writer, message)
        attached = list(_attached(message))
        writer.paragraph(f"Attached: {', '.join(attached)}" if attached else "")
        return writer.document(subject, notes=_notes(attached), details=(("format", self.name),))


def _write_body(writer: Writer, message: EmailMessage) -> None:
    """The plain text, else the HTML; where neither is marked as the body, whatever is text."""
    body = message.get_body(("plain", "html"))
    parts = [body] if isinstance(body, EmailMessage) else list(_texts(message))
    for part in parts:
        if part.get_content_subtype() == "html":
            write_html(writer, _text(part))
        else:
            writer.paragraph(_text(part))


def _texts(message: EmailMessage) -> Iterator[EmailMessage]:
    for part in message.walk():
        if isinstance(part, EmailMessage) and part.get_content_maintype() == "text":
            yield part


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


def _notes(attached: list[str]) -> tuple[str, ...]:
    if not attached:
        return ()
    return ("What is attached to this e-mail was not read; attach it here to have it read.",)


def _field(message: EmailMessage, name: str) -> str:
    """A header as words. Broken ones are shown as they came."""
    try:
        value = message.get(name)
    except (ValueError, IndexError, AttributeError, TypeError, LookupError):
        value = next((raw for key, raw in message.raw_items() if key.lower() == name.lower()), "")
    return one_line(str(value or ""))


def _starts_with_fields(head: bytes) -> bool:
    lines = head.split(b"\n\n")[0].replace(b"\r", b"").split(b"\n\n")[0].split(b"\n")
    fields = [line for line in lines[:-1] or lines if line]
    told = sum(line.lower().startswith(_TELLING) for line in fields)
    return told >= 2 and all(_FIELD.fullmatch(line) for line in fields)
