"""Reads presentations (PPTX): each slide a heading with its text, tables and notes; slides are the document's pages."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from retrieval.convert.office.package import Package, opened
from retrieval.convert.office.relations import relations
from retrieval.convert.office.text import name_of
from retrieval.convert.office.writing import BlockWriter, linked, one_line
from retrieval.convert.office.xml import child, children, parse_xml
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

FRAME_PLACEHOLDERS = frozenset(("sldNum", "dt", "ftr", "hdr", "sldImg"))
"""Placeholders of numbers, dates, footers and headers, which every slide repeats."""
TITLE_PLACEHOLDERS = frozenset(("title", "ctrTitle"))


def convert_pptx(body: bytes, url: str) -> Document:
    """All slides that aren't hidden; raises ConvertError for a file that isn't a presentation."""
    with opened(body, url, "a presentation") as package:
        name = next((at for kind, at in relations(package, "", url).values() if kind == "officeDocument"), "")
        if name not in package:
            raise ConvertError("can't be read as a presentation; save it as .pptx and add it again", about=url)
        blocks, starts, title = BlockWriter(), [], ""
        for number, slide in enumerate(_slides(package, name, url), 1):
            starts.append(blocks.length)  # of hidden slides too, so that a page's number is its slide's
            root = parse_xml(package.read(slide), url)
            if root.get("show") in ("0", "false"):
                continue
            parts = relations(package, slide, url)
            slide_title = _SlideWriter(blocks, parts).write(root, number)
            title = title or slide_title
            for kind, at in parts.values():
                if kind == "notesSlide" and at in package:
                    _write_notes(blocks, parse_xml(package.read(at), url))
    markdown = blocks.markdown()
    return Document(
        url=url, title=title or name_of(url), markdown=markdown, language=detect(markdown), pages=tuple(starts)
    )


def _slides(package: Package, name: str, url: str) -> Iterator[str]:
    """The names of the slides' files, in order."""
    parts = relations(package, name, url)
    for item in children(child(parse_xml(package.read(name), url), "sldIdLst"), "sldId"):
        kind, at = parts.get(item.get("r:id") or "", ("", ""))
        if kind == "slide" and at in package:
            yield at


def _write_notes(blocks: BlockWriter, root: Element) -> None:
    texts = [
        one_line(_text_of_paragraph(paragraph, {}))
        for shape in root.iter("sp")
        if _placeholder_kind(shape) == "body"
        for paragraph in children(child(shape, "txBody"), "p")
    ]
    if any(texts):
        blocks.paragraph("Notes: " + "\n".join(text for text in texts if text))


class _SlideWriter:
    """Writes one slide; `parts`: what its file points to, by id."""

    def __init__(self, blocks: BlockWriter, parts: dict[str, tuple[str, str]]) -> None:
        self._blocks = blocks
        self._links = {key: at for key, (kind, at) in parts.items() if kind == "hyperlink"}

    def write(self, root: Element, number: int) -> str:
        """Write the slide's blocks; returns its title, empty for a slide without (its heading is then its number)."""
        shapes = list(_shapes(child(root, "cSld", "spTree")))
        title = next((shape for shape in shapes if _placeholder_kind(shape) in TITLE_PLACEHOLDERS), None)
        texts = (
            [_text_of_paragraph(p, self._links) for p in children(child(title, "txBody"), "p")]
            if title is not None
            else []
        )
        slide_title = one_line(" ".join(texts))
        self._blocks.heading(2, slide_title or f"{number}")
        for shape in shapes:
            if shape is not title and _placeholder_kind(shape) not in FRAME_PLACEHOLDERS:
                self._shape(shape)
        return slide_title

    def _shape(self, shape: Element) -> None:
        table = child(shape, "graphic", "graphicData", "tbl")
        if table is not None:
            self._blocks.table(list(self._rows(table)))
        elif shape.tag == "graphicFrame":
            for paragraph in shape.iter("p"):  # a diagram or chart that holds its own text
                self._blocks.paragraph(_text_of_paragraph(paragraph, self._links))
        in_list = _placeholder_kind(shape) in ("body", "obj", "") and child(shape, "nvSpPr", "nvPr", "ph") is not None
        paragraphs = list(children(child(shape, "txBody"), "p"))
        for paragraph in paragraphs:
            self._paragraph(paragraph, in_list=in_list and len(paragraphs) > 1)

    def _paragraph(self, paragraph: Element, *, in_list: bool) -> None:
        """Write a paragraph; those of a placeholder with several are items unless they say otherwise."""
        properties = child(paragraph, "pPr")
        level = (properties.get("lvl") or "0") if properties is not None else "0"
        depth = int(level) if level.isdigit() else 0
        kinds = {item.tag for item in properties} if properties is not None else set()
        text = _text_of_paragraph(paragraph, self._links)
        if "buAutoNum" in kinds:
            self._blocks.item(text, depth, "1.")
        elif "buNone" not in kinds and (in_list or depth or kinds & {"buChar", "buBlip"}):
            self._blocks.item(text, depth)
        else:
            self._blocks.paragraph(text)

    def _rows(self, table: Element) -> Iterator[list[str]]:
        """The rows of a table; a merged cell stands in all places that it covers."""
        above: list[str] = []
        for row in children(table, "tr"):
            texts: list[str] = []
            for cell in children(row, "tc"):
                paragraphs = children(child(cell, "txBody"), "p")
                text = one_line(" ".join(_text_of_paragraph(paragraph, self._links) for paragraph in paragraphs))
                if cell.get("hMerge") in ("1", "true") and texts:
                    text = texts[-1]
                elif cell.get("vMerge") in ("1", "true") and len(texts) < len(above):
                    text = above[len(texts)]
                texts.append(text)
            above = texts
            yield texts


def _shapes(parent: Element | None) -> Iterator[Element]:
    """The shapes of a slide in order; groups are looked through."""
    for item in parent if parent is not None else ():
        if item.tag in ("grpSp", "AlternateContent", "Choice"):
            yield from _shapes(item)
        elif item.tag in ("sp", "graphicFrame", "cxnSp"):
            yield item


def _placeholder_kind(shape: Element) -> str:
    """What a placeholder is for (title, body …), `obj` where it doesn't say; empty for shapes that are none."""
    placeholder = child(shape, "nvSpPr", "nvPr", "ph")
    return (placeholder.get("type") or "obj") if placeholder is not None else ""


def _text_of_paragraph(paragraph: Element, links: dict[str, str]) -> str:
    parts = []
    for item in paragraph:
        if item.tag == "br":
            parts.append("\n")
        elif item.tag in ("r", "fld"):
            run_text = child(item, "t")
            click = child(item, "rPr", "hlinkClick")
            address = links.get(click.get("r:id") or "", "") if click is not None else ""
            parts.append(linked((run_text.text or "") if run_text is not None else "", address))
    return "".join(parts)
