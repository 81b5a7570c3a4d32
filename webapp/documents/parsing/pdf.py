"""PDF: the text of every page with its label, sections from the outline, OCR where it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from webapp.documents.document import Document
from webapp.documents.parsing import ocr, refusals
from webapp.documents.parsing.cleaning import clean, garbled_share, letters, one_line
from webapp.documents.parsing.line_ends import joined
from webapp.documents.parsing.outline import Entry, with_sections
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.pdf_forms import typed_on
from webapp.documents.parsing.pdf_rescue import with_another_end
from webapp.documents.parsing.writer import Writer
from webapp.errors import Unreadable

_START: Final = b"%PDF-"
_NEEDS_PASSWORD: Final = 4
_TEXT_OBJECT: Final = 1
_FEW_LETTERS: Final = 20
_MOST_GARBLED: Final = 0.10
_DOTS_AN_INCH: Final = 200
_POINTS_AN_INCH: Final = 72
_MOST_PIXELS_A_SIDE: Final = 5_000
_MOST_ENTRIES: Final = 5_000
_MOST_NAMED: Final = 20


@dataclass(frozen=True)
class Page:
    """`drawn` pages show something that is no text; `garbled` ones text that nobody can read."""

    text: str
    state: Literal["text", "drawn", "garbled", "blank", "broken", "ocr"]
    typed: str = ""

    @property
    def whole(self) -> str:
        return "\n".join(filter(None, (self.text, self.typed)))

    @property
    def lacks_text(self) -> bool:
        return self.state in ("drawn", "garbled")


class PdfParser:
    name = "PDF"
    suffixes = (".pdf",)
    has_signature = True

    def recognises(self, source: Source) -> bool:
        head = source.head.lstrip(b"\xef\xbb\xbf \t\r\n\0")
        return head.startswith(_START) or (source.suffix == ".pdf" and _START in head[:1024])

    def parse(self, source: Source) -> Document:
        pdf, notes = _opened(source.data)
        if len(pdf) > source.limits.pages:
            raise refusals.too_many_pages(len(pdf), source.limits.pages)
        pages = [_page(source, pdf, number) for number in range(len(pdf))]
        if ocr.is_available():
            pages = _with_ocr(source, pdf, pages)
        _refuse_without_text(pages)
        title = str(pdf.get_metadata_dict().get("Title", ""))
        notes = (*notes, *_notes(pages), *_attached(pdf))
        return with_sections(_written(source, pdf, pages, title, notes), _outline(pdf))


def _opened(data: bytes) -> tuple[Any, tuple[str, ...]]:
    """With what a person should know about it."""
    import pypdfium2  # noqa: PLC0415 - only the child that reads a PDF

    notes: tuple[str, ...] = ()
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as fault:
        mended = with_another_end(data)
        if fault.err_code == _NEEDS_PASSWORD or mended is None:
            raise _refusal(fault) from fault
        pdf = _rescued(mended, fault)
        notes = ("The end of this file is missing; what was left of it was read.",)
    if pdf.get_formtype():
        pdf.init_forms()
    return pdf, notes


def _rescued(data: bytes, fault: Exception) -> Any:
    import pypdfium2  # noqa: PLC0415 - as above

    try:
        pdf = pypdfium2.PdfDocument(data)
        if any(letters(str(page.get_textpage().get_text_range())) for page in pdf):
            return pdf
    except pypdfium2.PdfiumError:
        pass
    raise _refusal(fault) from fault


def _refusal(fault: Any) -> Unreadable:
    locked = getattr(fault, "err_code", None) == _NEEDS_PASSWORD
    return refusals.password() if locked else refusals.damaged()


def _page(source: Source, pdf: Any, number: int) -> Page:
    """One page that cannot be read does not spoil the others."""
    from pypdfium2 import PdfiumError  # noqa: PLC0415 - as above

    try:
        page = pdf[number]
    except PdfiumError:
        found = Page("", "broken")
    else:
        try:
            found = replace(_read(page), typed=typed_on(pdf, page))
        except PdfiumError:
            found = Page("", "broken")
        finally:
            page.close()
    source.progress(number + 1, len(pdf))
    return found


def _read(page: Any) -> Page:
    text_page = page.get_textpage()
    raw = str(text_page.get_text_range()).replace("\r\n", "\n")
    text_page.close()
    if garbled_share(raw) > _MOST_GARBLED:
        return Page("", "garbled")
    if letters(raw) >= _FEW_LETTERS:
        return Page(raw, "text")
    drawn = any(one.type != _TEXT_OBJECT for one in page.get_objects(max_depth=4))
    return Page(raw, "drawn" if drawn else "text" if letters(raw) else "blank")


def _with_ocr(source: Source, pdf: Any, pages: list[Page]) -> list[Page]:
    """OCR for pages that lack text, the first so many of them."""
    limits = source.limits
    wanted = [number for number, page in enumerate(pages) if page.lacks_text]
    wanted = wanted[: limits.pages_to_ocr]
    pages = list(pages)
    for done, number in enumerate(wanted):
        source.reading_pictures(done, len(wanted))
        text = ocr.read_picture(_picture(pdf[number]), limits.seconds_to_ocr_a_page)
        if letters(text) > letters(pages[number].text):
            pages[number] = Page(text, "ocr")
    return pages


def _picture(page: Any) -> bytes:
    """The page in grey, as PGM."""
    most = _MOST_PIXELS_A_SIDE / max(1.0, *page.get_size())
    bitmap = page.render(scale=min(_DOTS_AN_INCH / _POINTS_AN_INCH, most), grayscale=True)
    width, height, stride = bitmap.width, bitmap.height, bitmap.stride
    dots = bytes(bitmap.buffer)
    rows = b"".join(dots[at * stride : at * stride + width] for at in range(height))
    bitmap.close()
    page.close()
    return b"P5 %d %d 255\n" % (width, height) + rows


def _refuse_without_text(pages: list[Page]) -> None:
    """A few letters on pages full of pictures are a stamp or a number, not the text."""
    found = sum(letters(page.whole) for page in pages)
    lacking = [page for page in pages if page.lacks_text]
    few = found < _FEW_LETTERS * len(pages) and 2 * len(lacking) >= len(pages)
    if lacking and (few or not found):
        garbled = any(page.state == "garbled" for page in lacking)
        raise refusals.garbled() if garbled else refusals.scan()
    if pages and all(page.state == "broken" for page in pages):
        raise refusals.damaged()


def _written(
    source: Source, pdf: Any, pages: list[Page], title: str, notes: tuple[str, ...]
) -> Document:
    writer = Writer(source.limits.characters)
    for number, text in enumerate(joined([page.whole for page in pages])):
        writer.begin("page", _label(pdf, number), number + 1)
        writer.paragraph(text)
    details = (("format", "PDF"), ("pages", str(len(pages))))
    return writer.document(title, notes=notes, details=details)


def _label(pdf: Any, number: int) -> str:
    """What is printed on the page, as far as the file says so."""
    return clean(str(pdf.get_page_label(number) or "")).strip() or str(number + 1)


def _notes(pages: list[Page]) -> Iterator[str]:
    states = [page.state for page in pages]
    if ocr_pages := states.count("ocr"):
        yield f"{ocr_pages} of {len(pages)} pages were read by OCR: words may be wrong."
    if broken := states.count("broken"):
        yield f"{broken} of {len(pages)} pages could not be read."
    if pictures := sum(page.lacks_text and not letters(page.whole) for page in pages):
        yield (
            f"{pictures} of {len(pages)} pages have no text that can be read (pictures, or fonts "
            "without letters) and were left out."
        )


def _attached(pdf: Any) -> Iterator[str]:
    from pypdfium2 import PdfiumError  # noqa: PLC0415 - as above

    try:
        count = min(pdf.count_attachments(), _MOST_NAMED)
        names = [one_line(pdf.get_attachment(at).get_name()) for at in range(count)]
    except PdfiumError:
        return
    if names:
        yield f"In this PDF, and not read: {', '.join(names)}; attach it here to have it read."


def _outline(pdf: Any) -> list[Entry]:
    """Empty when the outline is damaged: the pages are still good."""
    from pypdfium2 import PdfiumError  # noqa: PLC0415 - as above

    found: list[Entry] = []
    try:
        for mark in pdf.get_toc():
            target = mark.get_dest()
            index = target.get_index() if target else None
            if index is not None and index >= 0:
                found.append(Entry(mark.get_title(), index + 1, mark.level + 1))
            if len(found) == _MOST_ENTRIES:
                break
    except (PdfiumError, ValueError, RecursionError):
        return []
    return found
