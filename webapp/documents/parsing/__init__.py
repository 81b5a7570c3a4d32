"""Every format that can be read. Where the bytes fit several, the first one has it."""

from __future__ import annotations

from typing import Final

from webapp.documents.parsing.csv_rows import CsvParser
from webapp.documents.parsing.docx import DocxParser
from webapp.documents.parsing.epub import EpubParser
from webapp.documents.parsing.html_text import HtmlParser
from webapp.documents.parsing.json_text import JsonParser
from webapp.documents.parsing.mail import MailParser
from webapp.documents.parsing.markdown_text import MarkdownParser
from webapp.documents.parsing.notebook import NotebookParser
from webapp.documents.parsing.odt import OdtParser
from webapp.documents.parsing.parser import Parser
from webapp.documents.parsing.pdf import PdfParser
from webapp.documents.parsing.picture import PictureParser
from webapp.documents.parsing.plain import PlainParser
from webapp.documents.parsing.pptx import PptxParser
from webapp.documents.parsing.rtf import RtfParser
from webapp.documents.parsing.sheets import SheetParser

PARSERS: Final[tuple[Parser, ...]] = (
    PdfParser(),
    RtfParser(),
    PictureParser(),
    SheetParser(),
    OdtParser(),
    EpubParser(),
    PptxParser(),
    DocxParser(),  # what else has a main part, wherever it lies
    HtmlParser(),
    MailParser(),
    CsvParser(),
    MarkdownParser(),
    NotebookParser(),
    JsonParser(),
    PlainParser(),
)
