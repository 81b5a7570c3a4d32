"""Files of each format, made as small as they can be, and broken in the ways tests need."""

import struct
import zipfile
import zlib
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data" / "documents"
CASES, SAMPLES = DATA / "cases", DATA / "samples"

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
ODF = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in [
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
    ]
)


def zipped(path, members, *, stored=()):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            kind = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, kind)
    return path


def rels(**targets):
    """`rId1=("officeDocument", "word/document.xml")`"""
    links = "".join(
        f'<Relationship Id="{key}" Type="{R}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f"<Relationships {RELS}>{links}</Relationships>"


def docx(path, body, *, styles="", main="word/document.xml", prefix="", **members):
    folder, _, file = main.rpartition("/")
    return zipped(
        path,
        {
            "_rels/.rels": rels(r1=("officeDocument", main)),
            f"{folder}/_rels/{file}.rels": rels(
                s=("styles", "styles.xml"), f=("footnotes", "footnotes.xml")
            ),
            main: f"{prefix}<w:document {W} {MC}><w:body>{body}</w:body></w:document>",
            f"{folder}/styles.xml": f"<w:styles {W}>{styles}</w:styles>",
            **members,
        },
    )


def paragraph(text, style=""):
    look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{look}<w:r><w:t>{text}</w:t></w:r></w:p>"


def odt(path, body, *, kind="text", **members):
    content = f"<office:body>{body}</office:body>"
    content = f"<office:document-content {ODF}>{content}</office:document-content>"
    return zipped(
        path,
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": content,
            **members,
        },
        stored=("mimetype",),
    )


def xlsx(path, sheets, *, shared=()):
    """`sheets`: by name, the inside of `sheetData`."""
    numbered = list(enumerate(sheets.items(), 1))
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, (name, _) in numbered
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    members = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": rels(r1=("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": (
            f'<workbook xmlns="{main}" xmlns:r="{R}"><sheets>{listed}</sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": rels(
            **{f"r{n}": ("worksheet", f"worksheets/sheet{n}.xml") for n, _ in numbered}
        ),
    }
    for n, (_, rows) in numbered:
        members[f"xl/worksheets/sheet{n}.xml"] = (
            f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'
        )
    return zipped(path, members)


def cells(number, *values):
    """One row of a sheet from column A on."""
    written = "".join(
        f'<c r="{chr(65 + at)}{number}" t="inlineStr"><is><t>{value}</t></is></c>'
        for at, value in enumerate(values)
    )
    return f'<row r="{number}">{written}</row>'


def pptx(path, slides, *, order=None, notes=None):
    """`slides`: the inside of each shape tree; `order`: of their numbers, from 1."""
    order = order or range(1, len(slides) + 1)
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in order)
    members = {
        "_rels/.rels": rels(r1=("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": (
            f'<p:presentation {P} xmlns:r="{R}"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>'
        ),
        "ppt/_rels/presentation.xml.rels": rels(
            **{f"r{n}": ("slide", f"slides/slide{n}.xml") for n in order}
        ),
    }
    for n, shapes in enumerate(slides, 1):
        members[f"ppt/slides/slide{n}.xml"] = (
            f"<p:sld {P} {A} {MC}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        )
    if notes:
        members["ppt/slides/_rels/slide1.xml.rels"] = rels(
            n=("notesSlide", "../notesSlides/notesSlide1.xml")
        )
        members["ppt/notesSlides/notesSlide1.xml"] = (
            f"<p:notes {P} {A}><p:cSld><p:spTree>{shape(notes, 'body')}</p:spTree></p:cSld>"
            "</p:notes>"
        )
    return zipped(path, members)


def shape(text, placeholder=""):
    kind = f'<p:nvPr><p:ph type="{placeholder}"/></p:nvPr>' if placeholder else ""
    words = f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"
    return f"<p:sp><p:nvSpPr>{kind}</p:nvSpPr><p:txBody>{words}</p:txBody></p:sp>"


def epub(path, chapters, **members):
    """`chapters`: pages in the order of the spine, by href."""
    items = "".join(
        f'<item id="c{n}" href="{href}" media-type="application/xhtml+xml"/>'
        for n, href in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>Book</dc:title></metadata><manifest>{items}</manifest>"
        f"<spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    )
    pages = {f"OPS/{href}": page for href, page in chapters.items() if page is not None}
    return zipped(
        path, {"META-INF/container.xml": container, "OPS/book.opf": package, **pages, **members}
    )


def pdf(path, pages, *, labels="", outline=(), catalog="", marks=()):
    """Pages by the inside of their content streams; `outline`: titles with a page from 0; `marks`
    lie on the first page, and are the fields of its form."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    first_mark = 4 + 2 * count
    if outline:
        catalog += f" /Outlines {first_mark} 0 R"
    on_first = ""
    if marks:
        first = 4 + 2 * count + (1 + len(outline) if outline else 0)
        numbers = " ".join(f"{first + n} 0 R" for n in range(len(marks)))
        catalog += f" /AcroForm << /Fields [{numbers}] >>"
        on_first = f"/Annots [{numbers}]"
    if labels:
        catalog += f" /PageLabels << /Nums [{labels}] >>"
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(),
        f"<< /Type /Pages /Count {count} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, stream in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R "
            f"/Resources << /Font << /F 3 0 R >> >> {on_first if n == 0 else ''} >>".encode()
        )
        content = stream.encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    for at, (title, page) in enumerate(outline):
        if at == 0:
            objects.append(
                f"<< /Type /Outlines /First {first_mark + 1} 0 R "
                f"/Last {first_mark + len(outline)} 0 R /Count {len(outline)} >>".encode()
            )
        following = f"/Next {first_mark + at + 2} 0 R" if at + 1 < len(outline) else ""
        objects.append(
            f"<< /Title ({title}) /Parent {first_mark} 0 R {following} "
            f"/Dest [{4 + 2 * page} 0 R /Fit] >>".encode()
        )
    objects += [mark.encode("latin-1") for mark in marks]
    path.write_bytes(_with_table(objects))
    return path


def _with_table(objects):
    data, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    data += b"trailer << /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    return bytes(data + b"startxref\n%d\n%%%%EOF" % start)


def said(*lines):
    """A content stream that shows these lines."""
    shown = " ".join(f"({line}) Tj 0 -16 Td" for line in lines)
    return f"BT /F 12 Tf 72 720 Td {shown} ET"


def picture_page(gray=b"\x80"):
    """A content stream that shows only a picture."""
    return f"q 400 0 0 400 100 200 cm BI /W 1 /H 1 /CS /G /BPC 8 ID {gray.decode('latin-1')} EI Q"


def png(path, width=2, height=2, *, claims=None):
    """A grey picture; `claims` writes another size into its head."""
    rows = b"".join(b"\0" + b"\x80" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", *(claims or (width, height)), 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    data = b"\x89PNG\r\n\x1a\n"
    for kind, body in chunks:
        data += struct.pack(">I", len(body)) + kind + body
        data += struct.pack(">I", zlib.crc32(kind + body))
    path.write_bytes(data)
    return path


def ole(*streams, more=b""):
    """The look of an Office file before 2007: a head, then a directory of streams."""
    data = bytes.fromhex("d0cf11e0a1b11ae1").ljust(512, b"\0")
    for name in streams:
        data += name.encode("utf-16-le").ljust(128, b"\0")
    return data.ljust(-(-len(data) // 512) * 512, b"\0") + more
