"""CSV files: delimiters, charsets, questions and answers, tables and records."""

from __future__ import annotations

import pytest

from retrieval.convert.convert import convert
from retrieval.convert.office.delimited import MOST_CELL_CHARACTERS, convert_csv
from retrieval.document import Page
from retrieval.errors import ConvertError


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
        csv('a,b,c\n"' + "x" * (MOST_CELL_CHARACTERS + 1))


def test_a_table_far_larger_than_what_it_holds_is_a_sentence() -> None:
    body = ("".join("," * at + "x\n" for at in range(51)) + "," * 60).encode()
    with pytest.raises(ConvertError, match="a table of 51 rows and 51 columns"):
        convert_csv(body, "https://x.example/a.csv", most_table_cells=1000)
