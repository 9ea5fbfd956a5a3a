"""Small office files, books and archives, written by hand as the XML that they are."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

import docx

RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def relations(**targets: tuple[str, str]) -> bytes:
    """Relations by id: (kind, target); an address is outside of the package."""
    items = "".join(
        f'<Relationship Id="{key}" Type="{RELATION}/{kind}" Target="{escape(target)}"'
        f"{' TargetMode=' + chr(34) + 'External' + chr(34) if '://' in target else ''}/>"
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{PACKAGE}">{items}</Relationships>'.encode()


def word_xml(body: str, links: dict[str, str] | None = None, **parts: str) -> bytes:
    """A DOCX of the body's XML; other parts by name (`styles`, `numbering`, `footnotes`)."""
    names = f'xmlns:w="{WORD}" xmlns:r="{RELATION}"'
    files = {
        "[Content_Types].xml": b"<Types/>",
        "_rels/.rels": relations(a=("officeDocument", "word/document.xml")),
        "word/document.xml": f"<w:document {names}><w:body>{body}</w:body></w:document>".encode(),
        "word/_rels/document.xml.rels": relations(**{key: ("hyperlink", url) for key, url in (links or {}).items()}),
    }
    files |= {f"word/{name}.xml": f"<w:{name} {names}>{text}</w:{name}>".encode() for name, text in parts.items()}
    return packed(files)


def workbook(*sheets: tuple[str, str], styles: str = "", strings: Sequence[str] = (), more: str = "") -> bytes:
    """An XLSX of (attributes of the sheet, its XML)."""
    listed = "".join(f'<sheet {told} sheetId="{at}" r:id="s{at}"/>' for at, (told, _) in enumerate(sheets))
    parts = {f"s{at}": ("worksheet", f"worksheets/{at}.xml") for at in range(len(sheets))}
    files = {
        "[Content_Types].xml": b"<Types/>",
        "_rels/.rels": relations(a=("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns:r="{RELATION}">{more}<sheets>{listed}</sheets></workbook>'.encode(),
        "xl/_rels/workbook.xml.rels": relations(
            **parts, t=("styles", "styles.xml"), u=("sharedStrings", "/xl/strings.xml")
        ),
        "xl/styles.xml": f"<styleSheet>{styles}</styleSheet>".encode(),
        "xl/strings.xml": f"<sst>{''.join(f'<si>{text}</si>' for text in strings)}</sst>".encode(),
    }
    files |= {f"xl/worksheets/{at}.xml": f"<worksheet>{xml}</worksheet>".encode() for at, (_, xml) in enumerate(sheets)}
    return packed(files)


def rows(*cells: Sequence[str]) -> str:
    """A sheet's data: numbers as numbers, other texts in place; `3|2` is the number 3 in style 2."""

    def cell(text: str) -> str:
        number, _, style = text.partition("|")
        if number.replace(".", "").replace("-", "").isdigit():
            return f'<c s="{style or 0}"><v>{number}</v></c>'
        return f'<c t="inlineStr"><is><t>{escape(text)}</t></is></c>' if text else "<c/>"

    return "<sheetData>" + "".join(f"<row>{''.join(map(cell, row))}</row>" for row in cells) + "</sheetData>"


def presentation(*slides: str, notes: dict[int, str] | None = None) -> bytes:
    """A PPTX of the XML of its slides' shapes; notes by the number of their slide."""
    ids = "".join(f'<p:sldId id="{256 + at}" r:id="s{at}"/>' for at in range(len(slides)))
    files = {
        "[Content_Types].xml": b"<Types/>",
        "_rels/.rels": relations(a=("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'<p:p xmlns:p="p" xmlns:r="{RELATION}"><p:sldIdLst>{ids}</p:sldIdLst></p:p>'.encode(),
        "ppt/_rels/presentation.xml.rels": relations(
            **{f"s{at}": ("slide", f"slides/{at}.xml") for at in range(len(slides))}
        ),
    }
    for at, shapes in enumerate(slides):
        shown = ' show="0"' if shapes.startswith("hidden") else ""
        tree = f'<sld xmlns:r="{RELATION}"{shown}><cSld><spTree>{shapes.removeprefix("hidden")}</spTree></cSld></sld>'
        files[f"ppt/slides/{at}.xml"] = tree.encode()
        if notes and at in notes:
            files[f"ppt/slides/_rels/{at}.xml.rels"] = relations(n=("notesSlide", f"../notes/{at}.xml"))
            files[f"ppt/notes/{at}.xml"] = f"<notes>{shape(notes[at], 'body')}{shape('7', 'sldNum')}</notes>".encode()
    return packed(files)


def shape(text: str, kind: str = "") -> str:
    """A shape with a paragraph a line; tabs at its beginning are its level."""
    place = f'<ph type="{kind}"/>' if kind else ""
    paragraphs = "".join(
        f'<p><pPr lvl="{len(line) - len(line.lstrip(chr(9)))}"/><r><t>{escape(line.strip())}</t></r></p>'
        for line in text.split("\n")
    )
    return f"<sp><nvSpPr><nvPr>{place}</nvPr></nvSpPr><txBody>{paragraphs}</txBody></sp>"


def opendocument(body: str, styles: str = "", **files: str) -> bytes:
    """An ODT of the XML of its text."""
    names = 'xmlns:text="t" xmlns:table="b" xmlns:office="o" xmlns:draw="d" xmlns:xlink="x" xmlns:style="s"'
    content = f"<office:document-content {names}>{styles}<office:body><office:text>{body}</office:text></office:body>"
    return packed(
        {
            "mimetype": b"application/vnd.oasis.opendocument.text",
            "content.xml": f"{content}</office:document-content>".encode(),
            **{name.replace("__", "/") + ".xml": text.encode() for name, text in files.items()},
        }
    )


def book(*chapters: str, spine: Sequence[int] = (), title: str = "", **files: str) -> bytes:
    """An EPUB of its chapters' bodies; `spine` is their order."""
    items = "".join(
        f'<item id="c{at}" href="part%20{at}.xhtml" media-type="application/xhtml+xml"/>' for at in range(len(chapters))
    )
    order = "".join(f'<itemref idref="c{at}"/>' for at in spine or range(len(chapters)))
    told = f'<dc:title xmlns:dc="d">{title}</dc:title>' if title else ""
    package = f"<package><metadata>{told}</metadata><manifest>{items}</manifest><spine>{order}</spine></package>"
    return packed(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": b'<container><rootfiles><rootfile full-path="in/book.opf"/></rootfiles></container>',
            "in/book.opf": package.encode(),
            **{f"in/part {at}.xhtml": f"<html><body>{text}</body></html>".encode() for at, text in enumerate(chapters)},
            **{name.replace("__", "/") + ".xml": text.encode() for name, text in files.items()},
        }
    )


Piece = tuple[float, float, float, str] | bytes
"""From the left, from the bottom, size of type (in points), text; or a page's operators as they are."""


def stroke(x0: float, y0: float, x1: float, y1: float) -> bytes:
    """A ruled line."""
    return f"{x0} {y0} m {x1} {y1} l S".encode()


def grid(
    rows: Sequence[Sequence[str]], *, left: float = 50, top: float = 700, widths: Sequence[float], ruled: bool = True
) -> list[Piece]:
    """A table in 10 points with rows of 20 points; a text may have lines, 12 points apart, in a higher row."""
    pieces: list[Piece] = []
    y = top
    xs = [left + sum(widths[:at]) for at in range(len(widths) + 1)]
    for row in rows:
        high = 8 + 12 * max(len(text.split("\n")) for text in row)
        for x, text in zip(xs, row, strict=False):
            pieces += [(x + 4, y - 14 - 12 * at, 10, line) for at, line in enumerate(text.split("\n")) if line]
        if ruled:
            pieces += [stroke(xs[0], y, xs[-1], y), *(stroke(x, y, x, y - high) for x in xs)]
        y -= high
    return [*pieces, stroke(xs[0], y, xs[-1], y)] if ruled else pieces


def word(*paragraphs: tuple[str, str], table: Sequence[Sequence[str]] = ()) -> bytes:
    """A Word document of (style, text) and a table at its end."""
    document = docx.Document()
    for style, text in paragraphs:
        document.add_paragraph(text, style=style)
    if table:
        grid = document.add_table(len(table), len(table[0]))
        for row, texts in zip(grid.rows, table, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def packed(files: dict[str, bytes]) -> bytes:
    """A zip archive."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()
