"""Spreadsheets."""

from __future__ import annotations

import tracemalloc

import pytest

from retrieval.convert.convert import convert
from retrieval.convert.office.sheets import convert_xlsx
from retrieval.document import Page
from retrieval.errors import ConvertError
from tests.retrieval.convert.office.packages import rows, workbook


def csv(text: str, charset: str = "utf-8") -> str:
    return convert(Page("https://x.example/a.csv", text.encode(charset))).markdown


URL = "https://x.example/a.xlsx"


def xlsx(body: bytes) -> str:
    return convert(Page(URL, body)).markdown


def test_a_workbook_is_a_heading_and_a_table_for_each_visible_sheet() -> None:
    styles = '<numFmts><numFmt numFmtId="170" formatCode="&quot;£&quot;0.00"/></numFmts><cellXfs><xf numFmtId="0"/>'
    styles += '<xf numFmtId="170"/><xf numFmtId="14"/></cellXfs>'
    found = xlsx(
        workbook(
            (
                'name="Prices"',
                rows(
                    ["Prices of 2026"],
                    [""],
                    ["", "Boat", "Price", "From"],
                    ["", "Dinghy", "35.5|1", "46082|2"],
                ),
            ),
            ('name="Secret" state="hidden"', rows(["secret"])),
            ('name="Hours"', rows(["Day", "Open"], ["Monday", "9 to 6"], ["Sunday", "closed"])),
            styles=styles,
        )
    )
    assert found == (
        "## Prices\n\nPrices of 2026\n\n| Boat | Price | From |\n| --- | --- | --- |\n| Dinghy | £35.50 | 2026-03-01 |\n\n"
        "## Hours\n\n| Day | Open |\n| --- | --- |\n| Monday | 9 to 6 |\n| Sunday | closed |\n"
    )


def test_questions_and_answers_in_a_sheet_are_headings_too() -> None:
    sheet = rows(["Question", "Answer"], ["Are dogs allowed?", "Yes."], ["Is it cold?", "No."])
    assert (
        xlsx(workbook(('name="FAQ"', sheet))) == "## FAQ\n\n### Are dogs allowed?\n\nYes.\n\n### Is it cold?\n\nNo.\n"
    )


def test_shared_strings_truth_merged_hidden_and_linked_cells() -> None:
    sheet = (
        '<cols><col min="3" max="3" hidden="1"/></cols><sheetData>'
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="str"><v>hidden</v></c></row>'
        '<row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" t="b"><v>1</v></c></row>'
        '<row r="3"><c r="B3" t="e"><v>#N/A</v></c></row><row r="4" hidden="1"><c r="A4"><v>1</v></c></row>'
        '</sheetData><mergeCells><mergeCell ref="A2:A3"/></mergeCells>'
    )
    strings = ["<t>Boat</t>", "<r><t>In </t></r><r><t>stock</t></r><rPh><t>reading</t></rPh>", "<t>Kayak</t>"]
    assert xlsx(workbook(('name="S"', sheet), strings=strings)) == (
        "## S\n\n| Boat | In stock |\n| --- | --- |\n| Kayak | TRUE |\n| Kayak | #N/A |\n"
    )


def test_dates_may_be_counted_from_1904() -> None:
    styles = '<cellXfs><xf numFmtId="14"/></cellXfs>'
    sheet = rows(["Day", "Boat"], ["44620", "x"])
    assert "2026-03-01" in xlsx(workbook(('name="S"', sheet), styles=styles, more='<workbookPr date1904="1"/>'))


def test_a_workbook_with_too_many_cells_is_refused() -> None:
    merged = rows(["a"]) + '<mergeCells><mergeCell ref="A1:A900"/></mergeCells>'
    for sheet in (rows(["a", "b", "c"], ["d", "e", "f"]), merged):
        with pytest.raises(ConvertError, match="more than 5 cells"):
            convert_xlsx(workbook(('name="S"', sheet)), URL, most_cells=5)


def test_one_cell_far_out_costs_no_columns_between() -> None:
    data = "".join(f'<row r="{at}"><c r="A{at}"><v>{at}</v></c></row>' for at in range(1, 2001))
    far = '<row r="2001"><c r="XFD2001"><v>7</v></c><c r="A2001"><v>8</v></c></row>'
    tracemalloc.start()
    try:
        assert "| 8 | 7 |" in xlsx(workbook(('name="A"', f"<sheetData>{data}{far}</sheetData>")))
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


def test_a_table_far_larger_than_what_it_holds_is_a_sentence() -> None:
    cells = "".join(f'<row r="{at}"><c r="A{chr(64 + at)}{at}"><v>1</v></c></row>' for at in range(1, 27))
    with pytest.raises(ConvertError, match="a table of 26 rows and 26 columns; split it"):
        convert_xlsx(workbook(('name="A"', f"<sheetData>{cells}</sheetData>")), URL, most_table_cells=600)
