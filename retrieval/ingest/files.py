"""Folders, files and archives as pages, each under an address of its own."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import AsyncIterator
from pathlib import Path

from retrieval.convert.convert import ENDINGS, kind_of, pages_of
from retrieval.decision import Decision, Kind
from retrieval.document import Page

FILES_AT_ONCE = 4
"""Files that are read and converted at the same time; chosen by hand."""


def files_of(root: Path) -> list[Path]:
    """Every file of a folder that may be read, in order; or the one file that is named."""
    files = sorted(file for file in root.rglob("*") if file.is_file()) if root.is_dir() else [root]
    return [file for file in files if file.suffix.lstrip(".").lower() in ENDINGS or file == root]


async def file_pages(file: Path) -> AsyncIterator[Page | tuple[str, Decision]]:
    """A file's pages, and what is decided on parts that are none.

    A file of an archive has the address `archive.zip#path/inside`. Raises ConvertError for an archive that can't be read.
    """
    url = file.resolve().as_uri()
    try:
        content = await asyncio.to_thread(file.read_bytes)
    except OSError as error:
        yield url, Decision(Kind.NOT_READABLE, detail=f"can't be read ({error.strerror})")
        return
    page = Page(url, content, mimetypes.guess_type(file.name)[0] or "")
    if kind_of(page) != "zip":
        yield page
        return
    inside = pages_of(page)
    while (part := await asyncio.to_thread(next, inside, None)) is not None:
        if isinstance(part, Page):
            yield part if kind_of(part) else (part.url, Decision(Kind.UNKNOWN_FILE))
        else:
            yield part.about, Decision(Kind.NOT_CONVERTED, detail=part.reason)
