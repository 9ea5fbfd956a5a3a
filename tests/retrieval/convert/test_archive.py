"""ZIP archives of documents: their files as pages, and what is refused."""

from __future__ import annotations

import zlib

import pytest

from retrieval.convert.archive import pages_of_archive
from retrieval.convert.convert import convert, pages_of
from retrieval.document import Page
from retrieval.errors import ConvertError
from tests.retrieval.convert.office.packages import packed, word


def refused(body: bytes, why: str, name: str = "a.docx") -> None:
    with pytest.raises(ConvertError, match=why) as caught:
        convert(Page(f"https://x.example/{name}", body))
    assert str(caught.value).startswith(f"https://x.example/{name}: ")


def test_the_files_of_an_archive_are_pages_with_addresses_of_their_own() -> None:
    body = packed(
        {"faq/a b.md": b"# A", "terms.docx": word(("Normal", "Text")), "__MACOSX/x.md": b"x", ".hidden": b"x"}
    )
    found = [part for part in pages_of(Page("https://x.example/all.zip", body)) if isinstance(part, Page)]
    assert [part.url for part in found] == [
        "https://x.example/all.zip#faq/a%20b.md",
        "https://x.example/all.zip#terms.docx",
    ]
    assert [convert(part).markdown for part in found] == ["# A\n", "Text\n"]


def test_what_is_no_archive_is_its_only_part() -> None:
    page = Page("https://x.example/a.docx", word(("Normal", "Text")))
    assert list(pages_of(page)) == [page]


@pytest.mark.parametrize("inner", [packed({"a.txt": b"a"}), b"\x1f\x8b\x08", b"7z\xbc\xaf\x27\x1c", b"Rar!"])
def test_an_archive_within_an_archive_is_refused(inner: bytes) -> None:
    (found,) = pages_of(Page("https://x.example/all.zip", packed({"inner.bin": inner})))
    assert isinstance(found, ConvertError)
    assert (
        str(found)
        == "https://x.example/all.zip#inner.bin: is an archive within an archive; unpack it and add its files"
    )


def test_archives_without_files_or_with_too_many_are_refused() -> None:
    with pytest.raises(ConvertError, match="is an empty archive"):
        list(pages_of(Page("https://x.example/all.zip", packed({"__MACOSX/x": b""}))))
    page = Page("https://x.example/all.zip", packed({f"{at}.txt": b"x" for at in range(3)}))
    with pytest.raises(ConvertError, match="more than 2 files"):
        list(pages_of_archive(page, most_files=2))


def test_an_archive_can_not_be_one_document() -> None:
    refused(packed({"a.txt": b"a"}), "archive of several documents", "a.zip")


@pytest.mark.parametrize("name", ["../up.txt", "/etc/passwd", "a/../../b.txt", "C:\\x.txt", "..\\up.txt"])
def test_names_that_lead_out_of_the_archive_are_refused(name: str) -> None:
    with pytest.raises(ConvertError, match="leads out of the archive"):
        list(pages_of(Page("https://x.example/all.zip", packed({name: b"x", "fine.txt": b"y"}))))


def test_a_password_on_an_archive_is_a_sentence() -> None:
    body = bytearray(packed({"a.txt": b"secret"}))
    for start, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        body[body.index(start) + offset] |= 1
    (found,) = pages_of(Page("https://x.example/all.zip", bytes(body)))
    assert str(found) == "https://x.example/all.zip#a.txt: is protected by a password; pack it without protection"


def test_a_damaged_file_does_not_take_the_rest_of_its_archive_with_it() -> None:
    body = packed({"a.txt": b"first", "b.txt": b"second", "c.txt": b"third"})
    damaged = body.replace(zlib.crc32(b"second").to_bytes(4, "little"), b"\0\0\0\0")
    first, second, third = pages_of(Page("https://x.example/all.zip", damaged))
    assert isinstance(first, Page)
    assert str(second).startswith("https://x.example/all.zip#b.txt: is damaged")
    assert isinstance(third, Page)
