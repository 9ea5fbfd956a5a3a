"""ZIP archives of documents: each file a page with an address of its own, `file.zip#folder/name`."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from urllib.parse import quote

from retrieval.convert.kind import kind_of
from retrieval.convert.office.package import BROKEN as DAMAGED
from retrieval.convert.office.package import LockedError, opened
from retrieval.document import Page
from retrieval.errors import ConvertError

MOST_DOCUMENTS = 1000
LEFT_OUT = ("__MACOSX/", ".")
"""What computers put beside the files of their users."""
PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf\x27\x1c", b"Rar!")


def unpacked(page: Page) -> Iterator[Page | ConvertError]:
    """The archive's files one after the other, and for each that can't be taken out the reason.

    Raises ConvertError when the archive itself is broken, or a trap.
    """
    with opened(page.content, page.url, "a ZIP archive") as package:
        names = [name for name in package.names if not _is_left_out(name)]
        if len(names) > MOST_DOCUMENTS:
            raise ConvertError(f"{page.url}: holds more than {MOST_DOCUMENTS} files; split it and add the parts")
        if not names:
            raise ConvertError(f"{page.url}: is an empty archive; pack it anew")
        for name in names:
            url = f"{page.url}#{quote(name)}"
            try:
                content = package.read(name)
            except DAMAGED:  # what is too much for the whole archive ends it
                yield ConvertError(f"{url}: is damaged or packed in an unknown way; pack the archive anew")
                continue
            except LockedError:
                yield ConvertError(f"{url}: is protected by a password; pack it without protection")
                continue
            inner = Page(url, content, mimetypes.guess_type(name)[0] or "", "", page.last_modified)
            if content.startswith(PACKED) or kind_of(inner) == "zip":
                yield ConvertError(f"{url}: is an archive within an archive; unpack it and add its files")
            else:
                yield inner


def _is_left_out(name: str) -> bool:
    return name.startswith(LEFT_OUT) or name.rsplit("/", 1)[-1].startswith(".")
