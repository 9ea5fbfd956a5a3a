"""Word documents, OpenDocument texts, RTF and Word's old format."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.convert.convert import convert
from retrieval.convert.office import rtf
from retrieval.convert.office.legacy import MAGIC
from retrieval.convert.office.legacy import WORD as WORD_STREAM
from retrieval.document import Page
from retrieval.errors import ConvertError
from tests.retrieval.packages import opendocument, word_xml
from tests.retrieval.paper import packed, word

OLD = MAGIC + b"\x00" * 600 + WORD_STREAM


def docx(body: str, links: dict[str, str] | None = None, **parts: str) -> str:
    return convert(Page("https://x.example/a.docx", word_xml(body, links, **parts))).markdown


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"


def test_a_word_document_keeps_headings_lists_and_tables_in_their_order() -> None:
    body = word(
        ("Title", "Terms"),
        ("Heading 1", "Deposit"),
        ("Normal", "Pay  before\tyou sail."),
        ("List Bullet", "cash"),
        ("List Bullet 2", "notes only"),
        ("List Bullet", "card"),
        ("Heading 2", "Steps"),
        ("List Number", "ask"),
        ("List Number", "pay"),
        table=[["Boat", "Euros"], ["Dinghy", "50"]],
    )
    document = convert(Page("https://x.example/terms.docx", body))
    assert document.title == "Terms"
    assert document.markdown == (
        "# Terms\n\n# Deposit\n\nPay before you sail.\n\n- cash\n   - notes only\n- card\n\n## Steps\n\n1. ask\n2. pay\n\n"
        "| Boat | Euros |\n| --- | --- |\n| Dinghy | 50 |\n"
    )


def test_numbers_of_lists_and_headings_are_counted_as_word_shows_them() -> None:
    levels = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for at, start, kind, text in (
            (0, 3, "decimal", "%1."),
            (1, 1, "lowerLetter", "%2)"),
            (2, 4, "lowerRoman", "%1.%3"),
        )
    )
    numbering = f'<w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>'
    numbering += '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
    styles = '<w:style w:styleId="b1"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'

    def at(depth: int) -> str:
        return f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="1"/></w:numPr>'

    body = p("one", at(0)) + p("a", at(1)) + p("b", at(1)) + p("deep", at(2)) + p("two", at(0)) + p("a again", at(1))
    found = docx(body + p("Fees", '<w:pStyle w:val="b1"/>'), numbering=numbering, styles=styles)
    assert found == ("3. one\n   - a) a\n   - b) b\n      - 3.iv deep\n4. two\n   - a) a again\n\n## 5. Fees\n")


def test_links_fields_notes_boxes_and_changes_are_read_as_a_reader_sees_them() -> None:
    link = '<w:hyperlink r:id="k"><w:r><w:t>our page</w:t></w:r></w:hyperlink>'
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://x.example/f" </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>field</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    changed = "<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t> new</w:t></w:r></w:ins>"
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    box = "<w:r><w:drawing><w:txbxContent>" + p("In a box") + "</w:txbxContent></w:drawing></w:r>"
    found = docx(
        f"<w:p><w:r><w:t>See </w:t></w:r>{link}<w:r><w:t> and </w:t></w:r>{field}{changed}{hidden}{note}{box}</w:p>"
        + p("After."),
        {"k": "https://x.example/a"},
        footnotes=f'<w:footnote w:id="2">{p("Not on Mondays.")}</w:footnote>',
    )
    assert found == (
        "See [our page](https://x.example/a) and [field](https://x.example/f) new[^1]\n\nIn a box\n\n"
        "[^1]: Not on Mondays.\n\nAfter.\n"
    )


def test_cells_that_span_stand_in_each_place_and_a_spanning_first_row_is_a_title() -> None:
    wide, start, on = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    found = docx(
        table(
            cell("Prices", '<w:gridSpan w:val="3"/>'),
            cell("Boat") + cell("Price", wide),
            cell("Double", start) + cell("£30") + cell("day"),
            cell("", on) + cell("£28 | winter") + cell("day"),
        )
    )
    assert found == (
        "**Prices**\n\n| Boat | Price | Price |\n| --- | --- | --- |\n| Double | £30 | day |\n| Double | £28 \\| winter | day |\n"
    )


def test_cells_that_claim_to_span_thousands_of_columns_are_not_believed() -> None:
    wide = cell("a", '<w:gridSpan w:val="99999"/>') + cell("b")
    assert docx(table(wide, cell("c") + cell("d"))).count("|") < 300
    told = '<table:table-cell table:number-columns-repeated="99999"><text:p>a</text:p></table:table-cell>'
    assert odt(f"<table:table><table:table-row>{told * 2}</table:table-row></table:table>").count("|") < 500


def test_a_table_of_one_column_is_a_frame_and_its_blocks_are_read() -> None:
    inner = table(cell("a") + cell("b"), cell("c") + cell("d"))
    frame = table(f"<w:tc>{p('Before', '<w:outlineLvl w:val=' + chr(34) + '1' + chr(34) + '/>')}{inner}</w:tc>")
    assert docx(frame) == "## Before\n\n| a | b |\n| --- | --- |\n| c | d |\n"


def test_a_paragraph_in_bold_type_alone_is_a_heading() -> None:
    run = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>What to bring</w:t></w:r></w:p>"
    assert docx(run + p("A towel.")) == "## What to bring\n\nA towel.\n"


def test_headers_and_footers_are_left_out_and_the_declared_title_serves() -> None:
    core = "<coreProperties><title>House rules</title></coreProperties>"
    files = {
        "[Content_Types].xml": b"<Types/>",
        "word/document.xml": b"<document><body><p><r><t>Be quiet.</t></r></p></body></document>",
        "word/header1.xml": b"<hdr><p><r><t>HEADER</t></r></p></hdr>",
        "docProps/core.xml": core.encode(),
    }
    document = convert(Page("https://x.example/a.docx", packed(files)))
    assert (document.title, document.markdown) == ("House rules", "Be quiet.\n")


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


RICH = rb"""{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial Cyr;}}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}{\info{\title Secret}}{\header HEAD\par}
\pard\s1\b Caf\'e9 rules\b0\par
\pard\plain Open \u8364?5 \endash  {\field{\*\fldinst{HYPERLINK "https://cafe.example/menu"}}{\fldrslt{the menu}}}.{\v hidden}
\line Second\par
{\f1 \'cf\'f0\'e8\'e2\'e5\'f2}{\*\unknown no}\par
{\b Drinks}\par
\pard{\listtext\tab \bullet\tab}First\par
\pard{\listtext 2.\tab}Second\par
\trowd\pard\intbl Drink\cell Price\cell\row\trowd\pard\intbl Black\par tea\cell \u8364?3\cell\row
\pard \{braces\} \u-10179?\u-8704? end\par}"""


def test_rich_text_is_read_with_its_charsets_tables_lists_and_links() -> None:
    assert convert(Page("https://x.example/a.rtf", RICH)).markdown.split("\n\n") == [
        "# Café rules",
        "Open €5 – [the menu](https://cafe.example/menu).\nSecond",
        "Привет",
        "## Drinks",
        "- First",
        "2. Second",
        "| Drink | Price |\n| --- | --- |\n| Black tea | €3 |",
        "{braces} 😀 end\n",
    ]


def test_rich_text_without_an_end_or_with_too_many_groups_does_no_harm() -> None:
    assert convert(Page("https://x.example/a.rtf", RICH[:-400])).markdown.startswith("# Café rules")
    assert rtf.DEEPEST < 1000
    with pytest.raises(ConvertError, match="nested too deeply"):
        convert(Page("https://x.example/a.rtf", b"{\\rtf1" + b"{" * 600))


def test_a_file_that_is_rich_text_by_its_bytes_is_read_as_such() -> None:
    assert convert(Page("https://x.example/a.doc", RICH)).markdown.startswith("# Café")


def test_old_word_files_are_read_by_antiword_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "antiword"
    program.write_text(
        "#!/bin/sh\nprintf 'Terms\\n\\nPay first.\\n|Boat |Euro|\\n|Dinghy |50 |\\n|blue | |\\n* cash\\n'\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    document = convert(Page("https://x.example/a.doc", OLD))
    assert document.markdown == (
        "Terms\n\nPay first.\n\n| Boat | Euro |\n| --- | --- |\n| Dinghy | 50 |\n| blue |  |\n\n- cash\n"
    )
    program.write_text("#!/bin/sh\necho 'not a Word file' >&2; exit 1\n", encoding="utf-8")
    with pytest.raises(ConvertError, match=r"antiword \(not a Word file\); open it in Word"):
        convert(Page("https://x.example/a.doc", OLD))


def test_old_word_files_are_made_new_by_libreoffice_where_that_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "made.docx").write_bytes(word(("Heading 1", "Terms")))
    program = tmp_path / "soffice"
    program.write_text(f'#!/bin/sh\ncp {tmp_path}/made.docx "$6/document.docx"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConvertError, match="can't be read by LibreOffice"):
        convert(Page("https://x.example/a.doc", OLD))  # without `cp` on the path it makes nothing
    (tmp_path / "cp").symlink_to("/bin/cp")
    assert convert(Page("https://x.example/a.doc", OLD)).markdown == "# Terms\n"


def test_old_office_files_without_a_program_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConvertError, match=r"needs antiword or LibreOffice here; open it .* save it as \.docx"):
        convert(Page("https://x.example/a.doc", OLD))
    with pytest.raises(ConvertError, match="protected by a password"):
        convert(Page("https://x.example/a.xlsx", MAGIC + b"\x00" * 600 + "EncryptedPackage".encode("utf-16-le")))
    with pytest.raises(ConvertError, match=r"before 2007; save it as \.xlsx"):
        convert(Page("https://x.example/a.xls", MAGIC + b"\x00" * 600))
