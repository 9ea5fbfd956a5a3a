"""Books and archives, and what keeps packed files and XML from doing harm."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from retrieval.convert import archive
from retrieval.convert.convert import convert, kind_of, parts
from retrieval.convert.office import package, xml
from retrieval.db import Database
from retrieval.decision import State
from retrieval.document import Page
from retrieval.embed.embedder import Vectors
from retrieval.errors import ConvertError, EmbedError
from retrieval.index.index import Index
from retrieval.ingest.ingest import Crawl, Source
from tests.retrieval.hashing import HashingEmbedder
from tests.retrieval.packages import book, opendocument, word_xml
from tests.retrieval.paper import packed, word

ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'


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


def test_the_files_of_an_archive_are_pages_with_addresses_of_their_own() -> None:
    body = packed(
        {"faq/a b.md": b"# A", "terms.docx": word(("Normal", "Text")), "__MACOSX/x.md": b"x", ".hidden": b"x"}
    )
    found = [part for part in parts(Page("https://x.example/all.zip", body)) if isinstance(part, Page)]
    assert [part.url for part in found] == [
        "https://x.example/all.zip#faq/a%20b.md",
        "https://x.example/all.zip#terms.docx",
    ]
    assert [convert(part).markdown for part in found] == ["# A\n", "Text\n"]


def test_what_is_no_archive_is_its_only_part() -> None:
    page = Page("https://x.example/a.docx", word(("Normal", "Text")))
    assert list(parts(page)) == [page]


@pytest.mark.parametrize("inner", [packed({"a.txt": b"a"}), b"\x1f\x8b\x08", b"7z\xbc\xaf\x27\x1c", b"Rar!"])
def test_an_archive_within_an_archive_is_refused(inner: bytes) -> None:
    (found,) = parts(Page("https://x.example/all.zip", packed({"inner.bin": inner})))
    assert isinstance(found, ConvertError)
    assert (
        str(found)
        == "https://x.example/all.zip#inner.bin: is an archive within an archive; unpack it and add its files"
    )


def test_archives_without_files_or_with_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConvertError, match="is an empty archive"):
        list(parts(Page("https://x.example/all.zip", packed({"__MACOSX/x": b""}))))
    monkeypatch.setattr(archive, "MOST_DOCUMENTS", 2)
    with pytest.raises(ConvertError, match="more than 2 files"):
        list(parts(Page("https://x.example/all.zip", packed({f"{at}.txt": b"x" for at in range(3)}))))


def test_an_archive_can_not_be_one_document() -> None:
    refused(packed({"a.txt": b"a"}), "archive of several documents", "a.zip")


def test_a_package_of_too_many_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MOST_FILES", 3)
    refused(word(("Normal", "Text")), "more than 3 files")


def test_a_document_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MOST_UNPACKED", package.MIB)
    files = {f"{at}.xml": bytes(400 * 1024) for at in range(3)}
    refused(packed({"[Content_Types].xml": b"", "word/document.xml": b"<broken", **files}), "more than 1 MiB; split it")


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MOST_IN_FILE", package.MIB)
    refused(
        packed({"[Content_Types].xml": b"", "word/document.xml": bytes(2 * package.MIB)}), "a file of more than 1 MiB"
    )


def test_what_an_archive_says_of_its_sizes_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MOST_IN_FILE", 1000)
    monkeypatch.setattr(package, "MOST_UNPACKED", 2000)
    with package.opened(packed({"a": bytes(900), "b": bytes(900)}), "u", "a") as opened:
        opened.read("a")
        monkeypatch.setattr(package, "MOST_UNPACKED", 1000)
        with pytest.raises(ConvertError, match="unpacks to more"):
            opened.read("b")
        monkeypatch.setattr(package, "MOST_IN_FILE", 100)
        with pytest.raises(ConvertError, match="holds a file of more"):
            opened.read("a")


def test_a_trap_that_is_packed_too_tightly_is_refused() -> None:
    refused(
        packed({"[Content_Types].xml": b"", "word/document.xml": bytes(6 * package.MIB)}), "packed more than 200 times"
    )


@pytest.mark.parametrize("name", ["../up.txt", "/etc/passwd", "a/../../b.txt", "C:\\x.txt", "..\\up.txt"])
def test_names_that_lead_out_of_the_archive_are_refused(name: str) -> None:
    with pytest.raises(ConvertError, match="leads out of the archive"):
        list(parts(Page("https://x.example/all.zip", packed({name: b"x", "fine.txt": b"y"}))))


def test_a_password_on_an_archive_is_a_sentence() -> None:
    body = bytearray(packed({"a.txt": b"secret"}))
    for start, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        body[body.index(start) + offset] |= 1
    (found,) = parts(Page("https://x.example/all.zip", bytes(body)))
    assert str(found) == "https://x.example/all.zip#a.txt: is protected by a password; pack it without protection"


def test_a_damaged_file_does_not_take_the_rest_of_its_archive_with_it() -> None:
    body = packed({"a.txt": b"first", "b.txt": b"second", "c.txt": b"third"})
    damaged = body.replace(zlib.crc32(b"second").to_bytes(4, "little"), b"\0\0\0\0")
    first, second, third = parts(Page("https://x.example/all.zip", damaged))
    assert isinstance(first, Page)
    assert str(second).startswith("https://x.example/all.zip#b.txt: is damaged")
    assert isinstance(third, Page)


def test_what_an_archive_says_it_is_is_not_unpacked_whole_to_be_read() -> None:
    body = packed({"mimetype": bytes(40 * package.MIB)})
    tracemalloc.start()
    try:
        assert kind_of(Page("https://x.example/x", body)) == "zip"
        assert tracemalloc.get_traced_memory()[1] < 2 * package.MIB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["a.docx", "a.odt"])
def test_xml_that_defines_entities_is_refused(name: str) -> None:
    if name == "a.odt":
        body = packed(
            {"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": f"{ENTITIES}<x>&b;</x>".encode()}
        )
    else:
        body = packed({"[Content_Types].xml": b"", "word/document.xml": f"{ENTITIES}<x>&b;</x>".encode()})
    refused(body, "defines XML entities", name)


def test_an_outside_entity_is_refused_and_a_bare_doctype_is_not() -> None:
    outside = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'
    with pytest.raises(ConvertError, match="defines XML entities"):
        xml.parse(outside.encode(), "u")
    assert xml.parse(b'<!DOCTYPE x SYSTEM "x.dtd"><x>a</x>', "u").text == "a"


def test_xml_without_end_of_depth_is_refused() -> None:
    refused(word_xml("<w:p>" * 300 + "</w:p>" * 300), "nested too deeply")


@pytest.mark.parametrize(
    ("name", "body", "why"),
    [
        ("a.docx", b"PK\x03\x04 and no more", "can't be read as a Word document"),
        ("a.docx", word(("Normal", "Text"))[:-40], "can't be read as a Word document"),
        ("a.docx", packed({"[Content_Types].xml": b"", "word/document.xml": b"<broken"}), "holds broken XML"),
        ("a.docx", packed({"[Content_Types].xml": b"", "word/x.xml": b""}), "save it as .docx"),
        ("a.xlsx", packed({"[Content_Types].xml": b"", "xl/x.xml": b""}), "save it as .xlsx"),
        ("a.pptx", packed({"[Content_Types].xml": b"", "ppt/x.xml": b""}), "save it as .pptx"),
        ("a.odt", packed({"mimetype": b"application/vnd.oasis.opendocument.text"}), "save it as .odt"),
        ("a.odt", opendocument("<text:h text:outline-level='x'/>")[:60], "can't be read as an OpenDocument"),
        ("a.ods", packed({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"}), "not a kind of file"),
        ("a.docx", b"", "is an empty file"),
        ("a.csv", b" \n", "is an empty file"),
    ],
    ids=lambda part: part if isinstance(part, str) else "body",  # bytes hold the time of packing
)  # fmt: skip
def test_a_broken_file_says_what_it_is_and_what_to_do(name: str, body: bytes, why: str) -> None:
    refused(body, why, name)


async def test_each_file_of_an_archive_is_in_or_out_by_itself(index: Index, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    source = Source(str(path), kind="file")

    async def crawled(files: dict[str, bytes]) -> dict[str, str]:
        path.write_bytes(packed(files))
        report = await Crawl(index, source).run()
        return {url.partition("#")[2]: decision.state for url, decision in report.decisions.items()}

    files = {"a.md": b"# A\n\nAlpha", "b.csv": b"Dogs?,Yes", "c.zip": packed({"x": b""}), "d.png": b"\x89PNG\x00"}
    assert await crawled(files) == {"a.md": "added", "b.csv": "added", "c.zip": "failed", "d.png": "skipped"}
    del files["c.zip"], files["d.png"]
    assert await crawled(files) == {"a.md": "unchanged", "b.csv": "unchanged"}
    assert await crawled({**files, "a.md": b"# A\n\nOmega"}) == {"a.md": "changed", "b.csv": "unchanged"}
    assert await crawled({"b.csv": files["b.csv"]}) == {"b.csv": "unchanged", "a.md": "gone"}
    rows = await index.db.read("SELECT url FROM documents WHERE tombstoned_at IS NULL")
    assert [row["url"] for row in rows] == [f"{path.as_uri()}#b.csv"]


async def test_of_an_archive_that_breaks_nothing_is_removed(index: Index, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("# X\n\nText", encoding="utf-8")
    path = tmp_path / "all.zip"
    path.write_bytes(packed({"a.md": b"# A\n\nAlpha"}))
    source = Source(str(tmp_path), kind="file")
    await Crawl(index, source).run()
    path.write_bytes(path.read_bytes()[:-30])
    report = await Crawl(index, source).run()
    assert report.counts == {State.UNCHANGED: 1, State.FAILED: 2}
    assert len(await index.db.read("SELECT 1 FROM documents WHERE tombstoned_at IS NULL")) == 2


class Failing(HashingEmbedder):
    """A server that is down."""

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        raise EmbedError("the embedding server answered 500")


async def test_what_stops_a_folder_is_said_in_its_report(db: Database, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nText of {name}", encoding="utf-8")
    index = Index(db, Failing())
    await index.load()
    report = await Crawl(index, Source(str(tmp_path), kind="file")).run()
    assert (report.outcome, report.note) == ("failed", "the embedding server answered 500")
