"""E-books: the order of their chapters, their titles, and locks."""

from __future__ import annotations

import io
import zipfile

import pytest

from retrieval.convert.convert import convert
from retrieval.document import Page
from retrieval.errors import ConvertError
from tests.retrieval.convert.office.packages import book, packed


def refused(body: bytes, why: str, name: str = "a.docx") -> None:
    with pytest.raises(ConvertError, match=why) as caught:
        convert(Page(f"https://x.example/{name}", body))
    assert str(caught.value).startswith(f"https://x.example/{name}: ")


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    chapters = [
        "<h1>Two</h1><p>See <a href='part%201.xhtml'>one</a>, <a href='https://x.example/'>us</a>.</p>",
        "<h1>One</h1>",
    ]
    document = convert(Page("https://x.example/a.epub", book(*chapters, spine=[1, 0], title="The boat book")))
    assert document.title == "The boat book"
    assert document.markdown == "# One\n\n# Two\n\nSee one, [us](https://x.example/).\n"


def test_a_book_without_a_spine_is_read_in_the_order_of_its_files() -> None:
    files = zipfile.ZipFile(io.BytesIO(book("<p>One</p>", "<p>Two</p>")))
    parts_of = {name: files.read(name) for name in files.namelist()}
    at = parts_of["in/book.opf"].index(b"<spine>")
    parts_of["in/book.opf"] = parts_of["in/book.opf"][:at] + b"</package>"
    assert convert(Page("https://x.example/a.epub", packed(parts_of))).markdown == "One\n\nTwo\n"


def test_a_book_that_its_seller_locked_says_so_but_scrambled_fonts_are_nothing() -> None:
    font = '<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/></EncryptedData></encryption>'
    lock = '<encryption><EncryptedData><EncryptionMethod Algorithm="aes"/></EncryptedData></encryption>'

    def locked(told: str) -> bytes:
        files = zipfile.ZipFile(io.BytesIO(book("<p>Text</p>")))
        return packed(
            {name: files.read(name) for name in files.namelist()} | {"META-INF/encryption.xml": told.encode()}
        )

    assert convert(Page("https://x.example/a.epub", locked(font))).markdown == "Text\n"
    refused(locked(lock), "locked by its seller", "a.epub")
    refused(packed({"META-INF/container.xml": b"<container/>"}), "can't be read as an EPUB", "a.epub")
