"""Unpacks ZIP archives of documents: each file is a page with an address of its own, `file.zip#folder/name`."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from urllib.parse import quote

from retrieval.convert.kind import kind_of
from retrieval.convert.office.package import DAMAGED_ZIP_ERRORS, LockedError, opened
from retrieval.document import Page
from retrieval.errors import ConvertError

MOST_ARCHIVE_FILES = 1000
"""Files of one archive that are taken; chosen by hand."""
SYSTEM_FILE_STARTS = ("__MACOSX/", ".")
"""How the names of files begin that operating systems add to an archive."""
# gzip, bzip2, xz, 7z and RAR by their first bytes.
ARCHIVE_STARTS = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf\x27\x1c", b"Rar!")


def pages_of_archive(page: Page, *, most_files: int = MOST_ARCHIVE_FILES) -> Iterator[Page | ConvertError]:
    """The archive's files as pages, one after the other; for a file that can't be taken out, the error.

    Raises ConvertError when the archive is broken, a trap, empty, or holds more than `most_files` files.
    """
    with opened(page.content, page.url, "a ZIP archive") as package:
        names = [name for name in package.names if not _is_left_out(name)]
        if len(names) > most_files:
            raise ConvertError(f"holds more than {most_files} files; split it and add the parts", about=page.url)
        if not names:
            raise ConvertError("is an empty archive; pack it anew", about=page.url)
        for name in names:
            url = f"{page.url}#{quote(name)}"
            try:
                content = package.read(name)
            except DAMAGED_ZIP_ERRORS:  # one file's fault; what is too much for the whole archive ends it
                yield ConvertError("is damaged or packed in an unknown way; pack the archive anew", about=url)
                continue
            except LockedError:
                yield ConvertError("is protected by a password; pack it without protection", about=url)
                continue
            inner = Page(url, content, mimetypes.guess_type(name)[0] or "", "", page.last_modified)
            if content.startswith(ARCHIVE_STARTS) or kind_of(inner) == "zip":
                yield ConvertError("is an archive within an archive; unpack it and add its files", about=url)
            else:
                yield inner


def _is_left_out(name: str) -> bool:
    return name.startswith(SYSTEM_FILE_STARTS) or name.rsplit("/", 1)[-1].startswith(".")
