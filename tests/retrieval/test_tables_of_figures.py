"""CSV files, spreadsheets and presentations."""

from __future__ import annotations

import tracemalloc

import pytest

from retrieval.convert.convert import convert
from retrieval.convert.office import delimited, records, sheets
from retrieval.convert.office.figures import shown
from retrieval.document import Page
from retrieval.errors import ConvertError
from tests.retrieval.packages import presentation, rows, shape, workbook


def csv(text: str, charset: str = "utf-8") -> str:
    return convert(Page("https://x.example/a.csv", text.encode(charset))).markdown


def xlsx(body: bytes) -> str:
    return convert(Page("https://x.example/a.xlsx", body)).markdown


def test_two_columns_are_questions_above_their_answers() -> None:
    pairs = '"Open, on Sundays?","From ten.\nUntil four."\nDogs allowed?,Yes\n'
    expected = "## Open, on Sundays?\n\nFrom ten.\nUntil four.\n\n## Dogs allowed?\n\nYes\n"
    assert csv(pairs) == expected
    for header in (
        "question,answer",
        "Questions, Answers",
        "Frage,Antwort",
        "Q,A",
        "Pregunta,Respuesta",
        "FAQ Question,Answer",
        "Topic,Answer",
    ):
        assert csv(f"{header}\n{pairs}") == expected
    assert csv("Deposit,It comes back within a week.\nKeys,They hang at the desk.\n").startswith(
        "## Deposit\n\nIt comes"
    )


def test_names_with_figures_are_a_table_though_they_have_two_columns() -> None:
    assert (
        csv("Boat;Price\nDinghy;35 €\nCanoe;50 €\n")
        == "| Boat | Price |\n| --- | --- |\n| Dinghy | 35 € |\n| Canoe | 50 € |\n"
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_delimiters_and_charsets_are_found_out(delimiter: str, charset: str) -> None:
    text = "\n".join(
        delimiter.join(row)
        for row in (["Größe", "Länge", "Bemerkung"], ["klein", "1", "für Kinder"], ["groß", "2", ""])
    )
    table = "| Größe | Länge | Bemerkung |\n| --- | --- | --- |\n| klein | 1 | für Kinder |\n| groß | 2 |  |\n"
    assert csv(text, charset) == table
    assert csv(f"sep={delimiter}\n{text}", charset) == table


def test_quoted_delimiters_line_breaks_and_pipes_stay_in_their_cells() -> None:
    assert csv('a,b,c\n"x, y","1\n2","p|q"\n') == "| a | b | c |\n| --- | --- | --- |\n| x, y | 1 2 | p\\|q |\n"


def test_a_long_table_repeats_its_header() -> None:
    text = "Boat,Length,Price\n" + "".join(f"Boat {at},{at} m,{at} €\n" for at in range(120))
    tables = csv(text).split("\n\n")
    assert [table.count("\n") for table in tables] == [51, 51, 22]
    assert all(table.startswith("| Boat | Length | Price |\n") for table in tables)


def test_records_with_long_cells_are_sections() -> None:
    story = "A long story of the boat and of those who sailed in her. " * 4
    assert csv(f"Name,Year,Story\nAmity,1890,{story}\nJane,1901,{story}\n").split("\n\n")[:3] == [
        "## Amity",
        "**Year**: 1890",
        f"**Story**: {story.strip()}",
    ]


def test_a_cell_without_end_is_a_sentence() -> None:
    with pytest.raises(ConvertError, match="can't be read as a table"):
        csv('a,b,c\n"' + "x" * (delimited.MOST_LETTERS + 1))


@pytest.mark.parametrize(
    ("number", "code", "text"),
    [
        (1234.5, "General", "1234.5"),
        (3.0, "", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (1234.5, "#,##0.00", "1,234.50"),
        (-1234.5, "#,##0.00;(#,##0.00)", "(1,234.50)"),
        (0.125, "0.0%", "12.5%"),
        (19, '"£"#,##0.00', "£19.00"),
        (19.5, "[$€-407] #,##0.00;[Red]-#,##0.00", "€ 19.50"),
        (-3, "[$€-407] #,##0;[Red]-#,##0", "-3"),
        (12, '0 "people"', "12 people"),
        (7, "000", "007"),
        (2.5, "0.##", "2.5"),
        (2, "0.##", "2"),
        (1500000, '0.0,,"M"', "1.5M"),
        (12345, "0.00E+00", "1.23E+04"),
        (0, '0;-0;"none"', "none"),
        (46082, "d mmm yyyy", "1 Mar 2026"),
        (46082, "dddd, d mmmm yy", "Sunday, 1 March 26"),
        (46082.395833333, "dd/mm/yyyy hh:mm", "01/03/2026 09:30"),
        (0.75, "h:mm AM/PM", "6:00 PM"),
        (1.5, "[h]:mm", "36:00"),
        (0.0625, "mm:ss", "30:00"),
        (1e300, "d mmm yyyy", "1e+300"),
    ],
)
def test_numbers_are_shown_as_the_sheet_shows_them(number: float, code: str, text: str) -> None:
    assert shown(number, code) == text


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


def test_a_workbook_with_too_many_cells_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MOST_CELLS", 5)
    with pytest.raises(ConvertError, match="more than 5 cells"):
        xlsx(workbook(('name="S"', rows(["a", "b", "c"], ["d", "e", "f"]))))
    merged = rows(["a"]) + '<mergeCells><mergeCell ref="A1:A900"/></mergeCells>'
    with pytest.raises(ConvertError, match="more than 5 cells"):
        xlsx(workbook(('name="S"', merged)))


def test_one_cell_far_out_costs_no_columns_between() -> None:
    data = "".join(f'<row r="{at}"><c r="A{at}"><v>{at}</v></c></row>' for at in range(1, 2001))
    far = '<row r="2001"><c r="XFD2001"><v>7</v></c><c r="A2001"><v>8</v></c></row>'
    tracemalloc.start()
    try:
        assert "| 8 | 7 |" in xlsx(workbook(('name="A"', f"<sheetData>{data}{far}</sheetData>")))
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


def test_a_table_far_larger_than_what_it_holds_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_CELLS", 1000)
    with pytest.raises(ConvertError, match="a table of 51 rows and 51 columns"):
        csv("".join("," * at + "x\n" for at in range(51)) + "," * 60)
    cells = "".join(f'<row r="{at}"><c r="A{chr(64 + at)}{at}"><v>1</v></c></row>' for at in range(1, 27))
    monkeypatch.setattr(records, "MOST_CELLS", 600)
    with pytest.raises(ConvertError, match="a table of 26 rows and 26 columns; split it"):
        xlsx(workbook(('name="A"', f"<sheetData>{cells}</sheetData>")))


def test_a_level_without_end_is_the_deepest_that_there_is() -> None:
    body = presentation('<sp><txBody><p><pPr lvl="2147483647"/><r><t>Deep</t></r></p></txBody></sp>')
    assert len(convert(Page("https://x.example/a.pptx", body)).markdown) < 100


def test_slides_are_headings_with_text_tables_and_notes_and_are_the_pages() -> None:
    cells = "".join(
        f"<tr>{''.join(f'<tc><txBody><p><r><t>{text}</t></r></p></txBody></tc>' for text in row)}</tr>"
        for row in (["Course", "Fee"], ["Basic", "£90"])
    )
    table = f"<graphicFrame><graphic><graphicData><tbl>{cells}</tbl></graphicData></graphic></graphicFrame>"
    body = presentation(
        shape("Training", "ctrTitle") + shape("Season 2026", "subTitle"),
        "hidden" + shape("Not shown", "title"),
        shape("Rules", "title") + shape("Wear a vest\n\talways\nLook around", "body") + shape("3", "sldNum"),
        f"<grpSp>{shape('In a group')}</grpSp>{table}",
        notes={2: "Tell them twice."},
    )
    document = convert(Page("https://x.example/a.pptx", body))
    assert document.title == "Training"
    assert document.markdown == (
        "## Training\n\nSeason 2026\n\n## Rules\n\n- Wear a vest\n   - always\n- Look around\n\nNotes: Tell them twice.\n\n"
        "## 4\n\nIn a group\n\n| Course | Fee |\n| --- | --- |\n| Basic | £90 |\n"
    )
    assert [document.markdown[at:].split("\n")[0] for at in document.pages] == [
        "## Training",
        "## Rules",
        "## Rules",
        "## 4",
    ]
