"""OpenDocument texts."""

from __future__ import annotations

import pytest

from retrieval.convert.convert import convert
from retrieval.document import Page
from retrieval.errors import ConvertError
from tests.retrieval.convert.office.packages import opendocument


def odt(body: str, styles: str = "") -> str:
    return convert(Page("https://x.example/a.odt", opendocument(body, styles))).markdown


def test_an_opendocument_text_keeps_headings_lists_links_notes_and_boxes() -> None:
    styles = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    styles += '<text:list-style style:name="L1"><text:list-level-style-number text:level="1"/></text:list-style>'
    body = "<text:note-body><text:p>Except Fridays.</text:p></text:note-body>"
    note = f"<text:note><text:note-citation>1</text:note-citation>{body}</text:note>"
    link = '<text:a xlink:href="https://x.example/">here</text:a>'
    found = odt(
        '<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:p text:style-name="P1">Rules</text:p>'
        f'<text:h text:outline-level="2">Quiet</text:h><text:p>See{"<text:s/>"}{link}{note}<draw:frame><draw:text-box>'
        "<text:p>Box</text:p></draw:text-box></draw:frame></text:p>"
        '<text:list text:style-name="L1"><text:list-item><text:p>keys</text:p><text:list><text:list-item><text:p>two</text:p>'
        "</text:list-item></text:list></text:list-item><text:list-item><text:p>towels</text:p></text:list-item></text:list>",
        styles,
    )
    assert found == (
        "# Rules\n\n## Quiet\n\nSee [here](https://x.example/)[^1]\n\nBox\n\n[^1]: Except Fridays.\n\n"
        "1. keys\n   - two\n2. towels\n"
    )


def test_tables_of_opendocument_keep_spans_and_header_rows() -> None:
    def row(*cells: str) -> str:
        return f"<table:table-row>{''.join(cells)}</table:table-row>"

    def one(text: str, told: str = "") -> str:
        return f"<table:table-cell {told}><text:p>{text}</text:p></table:table-cell>"

    covered = "<table:covered-table-cell/>"
    found = odt(
        "<table:table><table:table-header-rows>" + row(one("Room"), one("2025"), one("2026")) + "</table:table-header-rows>"
        + row(one("Single", 'table:number-rows-spanned="2"'), one("60"), one("70"))
        + row(covered, one("55", 'table:number-columns-repeated="2"'))
        + "</table:table>"
    )  # fmt: skip
    assert found == "| Room | 2025 | 2026 |\n| --- | --- | --- |\n| Single | 60 | 70 |\n| Single | 55 | 55 |\n"


def test_an_opendocument_text_with_a_password_says_so() -> None:
    body = opendocument("<text:p>x</text:p>", META_INF__manifest="<manifest><encryption-data/></manifest>")
    body = body.replace(b"META_INF/manifest.xml", b"META-INF/manifest.xml")
    with pytest.raises(ConvertError, match="protected by a password"):
        convert(Page("https://x.example/a.odt", body))
