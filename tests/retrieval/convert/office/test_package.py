"""Packed files that would do harm are refused, before or while they are unpacked."""

from __future__ import annotations

import io
import zipfile

import pytest

from retrieval.convert.office.package import MIB, Package, PackageLimits, opened
from retrieval.errors import ConvertError
from tests.retrieval.convert.office.packages import packed, word

URL = "https://x.example/a.docx"


def refused(body: bytes, why: str, limits: PackageLimits) -> None:
    with pytest.raises(ConvertError, match=why) as caught, opened(body, URL, "a Word document", limits=limits):
        pass
    assert str(caught.value).startswith(f"{URL}: ")


def test_a_package_of_too_many_files_is_refused() -> None:
    refused(word(("Normal", "Text")), "more than 3 files", PackageLimits(files=3))


def test_a_document_that_unpacks_to_too_much_is_refused_before_it_is_unpacked() -> None:
    files = {f"{at}.xml": bytes(400 * 1024) for at in range(3)}
    refused(packed(files), "more than 1 MiB; split it", PackageLimits(unpacked_bytes=MIB))


def test_a_file_that_is_too_large_is_refused() -> None:
    refused(packed({"word/document.xml": bytes(2 * MIB)}), "a file of more than 1 MiB", PackageLimits(file_bytes=MIB))


def test_what_an_archive_says_of_its_sizes_is_not_believed() -> None:
    """A package is read here without the check of what its directory says."""
    with zipfile.ZipFile(io.BytesIO(packed({"a": bytes(900), "b": bytes(900)}))) as archive:
        package = Package(archive, URL, PackageLimits(unpacked_bytes=1000))
        assert package.read("a") == bytes(900)
        with pytest.raises(ConvertError, match="unpacks to more"):
            package.read("b")
        with pytest.raises(ConvertError, match="holds a file of more"):
            Package(archive, URL, PackageLimits(file_bytes=100)).read("a")


def test_a_trap_that_is_packed_too_tightly_is_refused() -> None:
    refused(packed({"word/document.xml": bytes(6 * MIB)}), "packed more than 200 times", PackageLimits())
