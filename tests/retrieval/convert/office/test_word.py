"""Word documents (DOCX)."""

from __future__ import annotations

from retrieval.convert.convert import convert
from retrieval.document import Page
from tests.retrieval.convert.office.packages import opendocument, packed, word, word_xml


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
