"""Reads Word documents (DOCX). Headers, footers, comments and deleted text are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from retrieval.convert.office.numbering import ListNumbering, WordStyles
from retrieval.convert.office.package import Package, opened
from retrieval.convert.office.relations import relations
from retrieval.convert.office.text import name_of
from retrieval.convert.office.writing import BlockWriter, linked, one_line
from retrieval.convert.office.xml import all_text, child, children, parse_xml, value
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

# Elements without text for a reader; `Fallback` repeats what stands beside it for older programs.
DOCX_SKIPPED = frozenset(
    "del moveFrom pPr rPr instrText delText commentReference annotationRef footnoteRef endnoteRef Fallback "
    "sdtPr sdtEndPr proofErr bookmarkStart bookmarkEnd".split()
)
USUAL_BODY_FILE = "word/document.xml"
MOST_SPANNED_COLUMNS = 60
"""Columns that a cell may claim to span; Word itself allows 63 in a table."""


def convert_docx(body: bytes, url: str) -> Document:
    """The document's text; raises ConvertError for a file that isn't one, or unpacks to too much."""
    with opened(body, url, "a Word document") as package:
        name = next(
            (at for kind, at in relations(package, "", url).values() if kind == "officeDocument"), USUAL_BODY_FILE
        )
        if name not in package:
            raise ConvertError("can't be read as a Word document; save it as .docx and add it again", about=url)
        reader = _DocxReader(package, name, url)
        markdown = reader.read(parse_xml(package.read(name), url))
        title = reader.title or _declared_title(package, url)
    heading = re.search(r"^#{1,2} (.+)$", markdown, flags=re.M)
    return Document(
        url=url,
        title=title or (heading[1] if heading else name_of(url)),
        markdown=markdown,
        language=detect(markdown),
    )


def _declared_title(package: Package, url: str) -> str:
    """The title in the document's properties, unless a program made it up."""
    if "docProps/core.xml" not in package:
        return ""
    title = child(parse_xml(package.read("docProps/core.xml"), url), "title")
    text = one_line(all_text(title)) if title is not None else ""
    return "" if re.fullmatch(r"(?i)word document|microsoft word.*|untitled.*|.*\.docx?", text) else text


@dataclass(slots=True)
class _OpenField:
    """A field that is being read: its code, and whether its result has begun."""

    code: str = ""
    shown: bool = False


class _DocxReader:
    """Reads the main file of one document, `name`, with its styles, numbering and notes."""

    def __init__(self, package: Package, name: str, url: str) -> None:
        self._links = {key: at for key, (kind, at) in relations(package, name, url).items() if kind == "hyperlink"}
        folder = name.rpartition("/")[0]

        def part(wanted: str) -> Element | None:
            at = f"{folder}/{wanted}.xml"
            return parse_xml(package.read(at), url) if at in package else None

        self._styles = WordStyles(part("styles"))
        self._numbering = ListNumbering(part("numbering"))
        self._notes = {
            (kind, note.get("id") or ""): note
            for kind in ("footnote", "endnote")
            if (notes := part(f"{kind}s")) is not None
            for note in children(notes, kind)
        }
        self._blocks = BlockWriter()
        self._level = 1
        self._fields: list[_OpenField] = []
        self._boxes: list[Element] = []
        self._cited: list[tuple[str, Element]] = []
        self._count = 0
        self.title = ""

    def read(self, root: Element) -> str:
        """The document as Markdown; `title` is set on the way, if a paragraph has that style."""
        self._body(child(root, "body"))
        return self._blocks.markdown()

    def _body(self, parent: Element | None) -> None:
        for item in _contents(parent):
            if item.tag == "p":
                self._paragraph(item)
            elif item.tag == "tbl":
                self._table(item)
            self._write_boxes_and_notes()

    def _write_boxes_and_notes(self) -> None:
        """Write the text boxes and notes that were met in the block before."""
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self._body(box)
        cited, self._cited = self._cited, []
        for number, note in cited:
            self._blocks.paragraph(f"[^{number}]: {' '.join(self._texts(note))}")

    def _paragraph(self, paragraph: Element) -> None:
        """Write a paragraph as what its style, its numbering or its bold type make of it."""
        text = self._inline(paragraph).strip()
        properties = child(paragraph, "pPr")
        style = self._styles.of(value(properties, "pStyle"))
        level = style.level or _outline_level(properties)
        label, depth = self._numbering.label(properties, style.numbering)  # also of empty ones: they are counted
        if not one_line(text):
            return
        if style.is_title:
            self.title = self.title or one_line(text)
            self._blocks.heading(1, text)
        elif level:
            self._level = level
            self._blocks.heading(level, f"{label} {text}" if label not in ("", "•") else text)
        elif label or style.list_depth >= 0:
            self._blocks.item(text, max(depth, style.list_depth), "" if label == "•" else label)
        elif len(text) <= 80 and _is_bold(paragraph, self._styles) and not text.endswith((".", ",", ":", ";")):
            self._blocks.heading(min(max(self._level + 1, 2), 6), text)
        else:
            self._blocks.paragraph(text)

    # --- the text of a paragraph ---------------------------------------------------------------------------------

    def _inline(self, parent: Element) -> str:
        return "".join(self._pieces(parent))

    def _pieces(self, parent: Element) -> Iterator[str]:
        """The texts inside a paragraph; boxes and notes are put aside."""
        for item in parent:
            tag = item.tag
            if tag in DOCX_SKIPPED:
                if tag == "instrText" and self._fields:
                    self._fields[-1].code += item.text or ""
            elif tag == "t":
                yield item.text or ""
            elif tag in ("tab", "ptab"):
                yield " "
            elif tag in ("br", "cr"):
                yield "\n"
            elif tag == "noBreakHyphen":
                yield "-"
            elif tag == "r":
                if child(item, "rPr", "vanish") is None:
                    yield from self._pieces(item)
            elif tag == "hyperlink":
                yield linked(self._inline(item), self._links.get(item.get("r:id") or "", ""))
            elif tag == "fldChar":
                yield from self._field(item.get("fldCharType"))
            elif tag in ("footnoteReference", "endnoteReference"):
                yield self._note(tag.removesuffix("Reference"), item.get("id") or "")
            elif tag == "txbxContent":
                self._boxes.append(item)
            elif tag == "p":
                yield "\n" + self._inline(item)
            else:
                yield from self._pieces(item)

    def _field(self, kind: str | None) -> Iterator[str]:
        """The brackets of a link that is a field: its address stands in the field's code, its text in the result."""
        if kind == "begin":
            self._fields.append(_OpenField())
        elif kind == "separate" and self._fields:
            self._fields[-1].shown = True
            if self._address():
                yield "["
        elif kind == "end" and self._fields:
            address = self._address() if self._fields[-1].shown else ""
            self._fields.pop()
            if address:
                yield f"]({address})"

    def _address(self) -> str:
        """The address in the code of the innermost open field; empty for fields that are no link."""
        match = re.match(r'\s*HYPERLINK\s+"((?:https?://|mailto:|tel:)[^"\s]+)"', self._fields[-1].code)
        return match[1] if match else ""

    def _note(self, kind: str, number: str) -> str:
        """The reference to a note, which is written below the block."""
        note = self._notes.get((kind, number))
        if note is None:
            return ""
        self._count += 1
        self._cited.append((str(self._count), note))
        return f"[^{self._count}]"

    def _texts(self, parent: Element) -> list[str]:
        texts = [one_line(self._inline(item)) for item in parent.iter("p")]
        return [text for text in texts if text]

    # --- tables -----------------------------------------------------------------------------------------------------

    def _table(self, table: Element) -> None:
        """Write a table; one of a single column is only a frame around its blocks."""
        if max((sum(1 for _ in _cells_of(row)) for row in _rows_of(table)), default=0) < 2:
            for row in _rows_of(table):
                for cell in _cells_of(row):
                    self._body(cell)
            return
        rows: list[list[str]] = []
        for row in _rows_of(table):
            rows.append(self._row(list(_cells_of(row)), rows[-1] if rows else []))
        marked = any(child(row, "trPr", "tblHeader") is not None for row in list(_rows_of(table))[:1])
        self._blocks.table(rows, head=True if marked else None)

    def _row(self, cells: list[Element], above: list[str]) -> list[str]:
        """The texts of a row; a cell stands in all columns and rows that it spans, but once if it is the whole row."""
        texts: list[str] = []
        for cell in cells:
            merge = child(cell, "tcPr", "vMerge")
            goes_on = merge is not None and merge.get("val") != "restart" and len(texts) < len(above)
            text = above[len(texts)] if goes_on else self._cell(cell)
            wide = value(cell, "tcPr", "gridSpan")
            span = min(int(wide), MOST_SPANNED_COLUMNS) if wide.isdigit() else 1
            texts += [text] * span if len(cells) > 1 else [text] + [""] * (span - 1)  # a title would be repeated
        return texts

    def _cell(self, cell: Element) -> str:
        return " ".join(
            " ".join(self._texts_of_nested(item)) if item.tag == "tbl" else one_line(self._inline(item))
            for item in _contents(cell)
            if item.tag in ("p", "tbl")
        ).strip()

    def _texts_of_nested(self, table: Element) -> list[str]:
        return [", ".join(filter(None, (self._cell(cell) for cell in _cells_of(row)))) for row in _rows_of(table)]


def _contents(parent: Element | None) -> Iterator[Element]:
    """The paragraphs and tables inside an element; content controls and tracked insertions are looked through."""
    for item in parent if parent is not None else ():
        if item.tag in ("sdt", "sdtContent", "ins", "smartTag", "customXml", "AlternateContent", "Choice"):
            yield from _contents(item)
        else:
            yield item


def _rows_of(table: Element) -> Iterator[Element]:
    return (row for row in _contents(table) if row.tag == "tr")


def _cells_of(row: Element) -> Iterator[Element]:
    return (cell for cell in _contents(row) if cell.tag == "tc")


def _outline_level(properties: Element | None) -> int:
    level = value(properties, "outlineLvl")
    return int(level) + 1 if level.isdigit() and int(level) < 6 else 0


def _is_bold(paragraph: Element, styles: WordStyles) -> bool:
    """Whether all text of a paragraph is in bold type, as many authors write headings."""
    runs = [run for run in paragraph.iter("r") if any((text.text or "").strip() for text in run.iter("t"))]
    return bool(runs) and all(
        (mark := child(run, "rPr", "b")) is not None and mark.get("val") not in ("0", "false", "off") for run in runs
    )
