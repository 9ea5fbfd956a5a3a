"""Reads OpenDocument texts (ODT)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from retrieval.convert.office.package import Package, opened
from retrieval.convert.office.text import name_of
from retrieval.convert.office.writing import BlockWriter, linked, one_line
from retrieval.convert.office.xml import all_text, child, children, parse_xml
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

ODT_SKIPPED = frozenset(
    "annotation annotation-end tracked-changes sequence-decls forms variable-decls user-field-decls note-citation".split()
)
MOST_REPEATED_COLUMNS = 50
"""Equal columns that one cell may stand for; the empty rest of a sheet is written as thousands of them."""


def convert_odt(body: bytes, url: str) -> Document:
    """The document's text; raises ConvertError for a file that isn't one."""
    with opened(body, url, "an OpenDocument text") as package:
        if "content.xml" not in package:
            raise ConvertError("can't be read as an OpenDocument text; save it as .odt and add it again", about=url)
        if "META-INF/manifest.xml" in package and b"encryption-data" in package.read("META-INF/manifest.xml"):
            raise ConvertError("is protected by a password; save it without protection and add it again", about=url)
        reader = _OdtReader(parse_xml(package.read("content.xml"), url), _styles(package, url))
        markdown = reader.read()
        declared = _declared_title(package, url)
    heading = re.search(r"^#{1,2} (.+)$", markdown, flags=re.M)
    title = reader.title or declared or (heading[1] if heading else name_of(url))
    return Document(url=url, title=title, markdown=markdown, language=detect(markdown))


def _styles(package: Package, url: str) -> Element | None:
    return parse_xml(package.read("styles.xml"), url) if "styles.xml" in package else None


def _declared_title(package: Package, url: str) -> str:
    if "meta.xml" not in package:
        return ""
    title = child(parse_xml(package.read("meta.xml"), url), "meta", "title")
    return one_line(all_text(title)) if title is not None else ""


class _OdtReader:
    """Reads the content of one text; `styles`: its styles.xml, which automatic styles are based on."""

    def __init__(self, root: Element, styles: Element | None) -> None:
        self._root = root
        self._blocks = BlockWriter()
        roots = [styles, root] if styles is not None else [root]
        self._parents = {
            item.get("name") or "": item.get("parent-style-name") or "" for part in roots for item in part.iter("style")
        }
        self._numbered = {
            item.get("name") or "": {level.get("level") or "1" for level in item.iter("list-level-style-number")}
            for part in roots
            for item in part.iter("list-style")
        }
        self._boxes: list[Element] = []
        self._notes: list[tuple[str, str]] = []
        self._count = 0
        self.title = ""

    def read(self) -> str:
        """The text as Markdown; `title` is set on the way, if a paragraph has that style."""
        self._body(child(self._root, "body", "text"))
        return self._blocks.markdown()

    def _body(self, parent: Element | None) -> None:
        """Write the blocks inside an element; sections and other wrappers are looked through."""
        for item in parent if parent is not None else ():
            if item.tag == "h":
                level = item.get("outline-level") or "1"
                self._blocks.heading(int(level) if level.isdigit() else 1, self._inline(item))
            elif item.tag == "p":
                self._paragraph(item)
            elif item.tag == "list":
                self._list(item, 0, item.get("style-name") or "")
            elif item.tag == "table":
                self._table(item)
            elif item.tag not in ODT_SKIPPED:
                self._body(item)
            self._write_boxes_and_notes()

    def _write_boxes_and_notes(self) -> None:
        """Write the text boxes and notes that were met in the block before."""
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self._body(box)
        notes, self._notes = self._notes, []
        for number, text in notes:
            self._blocks.paragraph(f"[^{number}]: {text}")

    def _paragraph(self, paragraph: Element) -> None:
        """Write a paragraph, as a heading if its style is based on the one called Title."""
        text = self._inline(paragraph)
        style, seen = paragraph.get("style-name") or "", set[str]()
        while style and style not in seen:  # a paragraph's own style is automatic; its parents have names
            if style == "Title":
                self.title = self.title or one_line(text)
                self._blocks.heading(1, text)
                return
            seen.add(style)
            style = self._parents.get(style, "")
        self._blocks.paragraph(text)

    def _list(self, element: Element, depth: int, style: str) -> None:
        """Write a list; an inner list without a style has that of the outer one."""
        number = 0
        for item in element:
            if item.tag not in ("list-item", "list-header"):
                continue
            start = item.get("start-value") or ""
            number = int(start) if start.isdigit() else number + 1
            numbered = str(depth + 1) in self._numbered.get(style, set())
            texts: list[str] = []
            for part in item:
                if part.tag == "list":
                    self._item(texts, depth, number if numbered else 0)
                    texts = []
                    self._list(part, depth + 1, part.get("style-name") or style)
                elif part.tag == "h":
                    self._blocks.heading(int(part.get("outline-level") or 1), self._inline(part))
                elif part.tag == "p":
                    texts.append(self._inline(part))
            self._item(texts, depth, number if numbered else 0)

    def _item(self, texts: list[str], depth: int, number: int) -> None:
        if any(texts):
            self._blocks.item(" ".join(texts), depth, f"{number}." if number else "")

    def _inline(self, parent: Element) -> str:
        return "".join(self._pieces(parent))

    def _pieces(self, parent: Element) -> Iterator[str]:
        """The texts inside a paragraph; boxes and notes are put aside."""
        yield parent.text or ""
        for item in parent:
            if item.tag in ("s", "tab"):
                yield " "
            elif item.tag == "line-break":
                yield "\n"
            elif item.tag == "a":
                yield linked(self._inline(item), item.get("href") or "")
            elif item.tag == "note":
                self._count += 1
                self._notes.append((str(self._count), self._note(item)))
                yield f"[^{self._count}]"
            elif item.tag == "text-box":
                self._boxes.append(item)
            elif item.tag not in ODT_SKIPPED and item.tag not in ("title", "desc"):
                yield self._inline(item)
            yield item.tail or ""

    def _note(self, note: Element) -> str:
        body = child(note, "note-body")
        return one_line(" ".join(self._inline(item) for item in body.iter("p"))) if body is not None else ""

    def _table(self, table: Element) -> None:
        """Write a table; a cell stands in all rows and columns that it spans. One of a single column is only a frame."""
        rows: list[list[str]] = []
        spans: dict[int, tuple[int, str]] = {}
        headers = 0
        for row, is_head in _rows_of(table):
            headers += is_head
            texts: list[str] = []
            for cell in row:
                if cell.tag not in ("table-cell", "covered-table-cell"):
                    continue
                column = len(texts)
                left, above = spans.get(column, (0, ""))
                if cell.tag == "covered-table-cell":  # it lies under a cell from above, or from the left
                    text = above if left else (texts[-1] if texts and len(set(texts)) > 1 else "")
                    spans[column] = (max(left - 1, 0), above)
                else:
                    text = one_line(" ".join(self._inline(item) for item in cell.iter("p")))
                    down = cell.get("number-rows-spanned") or "1"
                    spans[column] = (int(down) - 1 if down.isdigit() else 0, text)
                times = cell.get("number-columns-repeated") or "1"
                texts += [text] * min(int(times) if times.isdigit() else 1, MOST_REPEATED_COLUMNS)
            rows.append(texts)
        if max(map(len, rows), default=0) < 2:  # a frame: the blocks in it are read as they are
            for row, _ in _rows_of(table):
                for cell in row:
                    self._body(cell)
        else:
            self._blocks.table(rows, head=True if headers else None)


def _rows_of(table: Element) -> Iterator[tuple[Element, bool]]:
    """The rows of a table as (row, whether it is one of headings)."""
    for item in table:
        if item.tag == "table-row":
            yield item, False
        elif item.tag == "table-header-rows":
            yield from ((row, True) for row in children(item, "table-row"))
        elif item.tag in ("table-rows", "table-row-group"):
            yield from _rows_of(item)
