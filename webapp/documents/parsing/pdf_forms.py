"""What somebody typed onto the pages of a PDF: the fields of a form, and texts laid over a page.

Neither is part of the page's own text."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from webapp.documents.parsing.cleaning import one_line

_UNSEEN: Final = 2 | 32  # flags: hidden, not shown on a screen
_MOST: Final = 2_000
_ELEMENT: Final = re.compile(r"\[\d+\]$")


def typed_on(pdf: Any, page: Any) -> str:
    """One line for each: `Name: Ada`. The fields are known once `pdf.init_forms()` was called."""
    return "\n".join(dict.fromkeys(filter(None, _typed(pdf, page))))


def _typed(pdf: Any, page: Any) -> Iterator[str]:
    from pypdfium2 import raw  # noqa: PLC0415 - only the child that reads a PDF

    for index in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST)):
        mark = raw.FPDFPage_GetAnnot(page, index)
        if not mark:
            continue
        try:
            kind = raw.FPDFAnnot_GetSubtype(mark)
            if raw.FPDFAnnot_GetFlags(mark) & _UNSEEN:
                continue
            if kind == raw.FPDF_ANNOT_FREETEXT:
                yield _string(
                    lambda *to, of=mark: raw.FPDFAnnot_GetStringValue(of, b"Contents", *to)
                )
            elif kind == raw.FPDF_ANNOT_WIDGET and pdf.formenv:
                yield _field(raw, pdf.formenv, mark)
        finally:
            raw.FPDFPage_CloseAnnot(mark)


def _field(raw: Any, form: Any, mark: Any) -> str:
    """Empty for a field that nobody filled in, a box that is not ticked, a button."""

    def text(of: Callable[..., int]) -> str:
        return _string(lambda *to: of(form, mark, *to))

    kind = raw.FPDFAnnot_GetFormFieldType(form, mark)
    boxes = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
    lines = (
        raw.FPDF_FORMFIELD_TEXTFIELD,
        raw.FPDF_FORMFIELD_COMBOBOX,
        raw.FPDF_FORMFIELD_LISTBOX,
    )
    if kind not in lines and not (kind in boxes and raw.FPDFAnnot_IsChecked(form, mark)):
        return ""
    value = text(raw.FPDFAnnot_GetFormFieldValue)
    if not value.strip():
        return ""
    name = one_line(text(raw.FPDFAnnot_GetFormFieldAlternateName))
    name = name or _ELEMENT.sub("", text(raw.FPDFAnnot_GetFormFieldName).rpartition(".")[2])
    return f"{name}: {value}" if name else value


def _string(fill: Callable[..., int]) -> str:
    """What `fill(buffer, bytes)` gives; it says how many bytes it needs, also for no buffer."""
    from pypdfium2 import raw  # noqa: PLC0415 - as above

    size = fill(None, 0)
    if size <= 0:
        return ""
    buffer = ctypes.create_string_buffer(size)
    fill(ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    return buffer.raw.decode("utf-16-le", "replace").partition("\0")[0]
