"""Word documents as Markdown: headings, paragraphs, lists and tables in their order."""

from __future__ import annotations

import io
import re
import zipfile
import zlib

import docx
from docx.table import Table
from docx.text.paragraph import Paragraph

from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.language import detect
from retrieval.table import as_markdown

MOST_UNPACKED = 200 * 1024 * 1024


def convert_docx(body: bytes, url: str) -> Document:
    """The document's text; raises ConvertError for a file that isn't one or unpacks to more than 200 MiB."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            if sum(item.file_size for item in archive.infolist()) > MOST_UNPACKED:
                raise ConvertError(f"{url}: unpacks to more than 200 MiB; split it and add the parts")
        document = docx.Document(io.BytesIO(body))
    except (zipfile.BadZipFile, zlib.error, SyntaxError, KeyError, ValueError, RuntimeError) as error:
        raise ConvertError(f"{url}: can't be read as a Word document; save it as .docx and add it again") from error
    blocks = [_table(item) if isinstance(item, Table) else _paragraph(item) for item in document.iter_inner_content()]
    markdown = re.sub(r"\n{3,}", "\n\n", _spaced([block for block in blocks if block])) + "\n"
    heading = re.search(r"^# (.+)$", markdown, flags=re.M)
    title = heading[1] if heading else document.core_properties.title or url.rsplit("/", 1)[-1]
    return Document(url=url, title=title, markdown=markdown, language=detect(markdown))


def _paragraph(paragraph: Paragraph) -> str:
    text = " ".join(paragraph.text.split())
    style = (paragraph.style.name or "") if paragraph.style is not None else ""
    if not text:
        return ""
    if style == "Title":
        return f"# {text}"
    if match := re.match(r"Heading (\d)", style):
        return f"{'#' * min(int(match[1]), 6)} {text}"
    if style.startswith("List"):
        return f"1. {text}" if "Number" in style else f"- {text}"
    return text


def _spaced(blocks: list[str]) -> str:
    text = ""
    for block in blocks:
        tight = block.startswith(("- ", "1. ")) and text.rsplit("\n", 1)[-1].startswith(block[:2])
        text += ("\n" if tight else "\n\n") + block if text else block
    return text


def _table(table: Table) -> str:
    cells = [[" ".join(cell.text.split()) for cell in row.cells] for row in table.rows]
    return as_markdown(cells, 1)
