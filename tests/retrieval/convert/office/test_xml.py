"""XML that would do harm is refused."""

from __future__ import annotations

import pytest

from retrieval.convert.convert import convert
from retrieval.convert.office.xml import parse_xml
from retrieval.document import Page
from retrieval.errors import ConvertError
from tests.retrieval.convert.office.packages import packed, word_xml

ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'


def refused(body: bytes, why: str, name: str = "a.docx") -> None:
    with pytest.raises(ConvertError, match=why) as caught:
        convert(Page(f"https://x.example/{name}", body))
    assert str(caught.value).startswith(f"https://x.example/{name}: ")


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
        parse_xml(outside.encode(), "u")
    assert parse_xml(b'<!DOCTYPE x SYSTEM "x.dtd"><x>a</x>', "u").text == "a"


def test_xml_without_end_of_depth_is_refused() -> None:
    refused(word_xml("<w:p>" * 300 + "</w:p>" * 300), "nested too deeply")
