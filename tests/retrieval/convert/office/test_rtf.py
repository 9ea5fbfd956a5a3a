"""Rich Text Format."""

from __future__ import annotations

import pytest

from retrieval.convert.convert import convert
from retrieval.convert.office.rtf import MOST_NESTED_GROUPS
from retrieval.document import Page
from retrieval.errors import ConvertError

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
    assert MOST_NESTED_GROUPS < 1000
    with pytest.raises(ConvertError, match="nested too deeply"):
        convert(Page("https://x.example/a.rtf", b"{\\rtf1" + b"{" * 600))


def test_a_file_that_is_rich_text_by_its_bytes_is_read_as_such() -> None:
    assert convert(Page("https://x.example/a.doc", RICH)).markdown.startswith("# Café")


def rtf(body: bytes) -> str:
    return convert(Page("https://x.example/a.rtf", rb"{\rtf1\ansi\ansicpg1252 " + body + b"}")).markdown


def test_items_of_nested_lists_keep_their_depth() -> None:
    def item(label: bytes, depth: int, text: bytes) -> bytes:
        return rb"\pard{\listtext\pard\plain %s\tab}\ilvl%d\ls1{%s\par}" % (label, depth, text)

    items = [(b"1.", 0, b"Sign"), (b"a)", 1, b"in ink"), (b"b)", 1, b"by hand"), (b"2.", 0, b"Pay")]
    assert rtf(b"".join(item(*one) for one in items) + rb"\pard Done.\par") == (
        "1. Sign\n   - a) in ink\n   - b) by hand\n2. Pay\n\nDone.\n"
    )


def row(*cells: tuple[bytes, int]) -> bytes:
    """A row of (text, where the cell ends in twips); words before the text in brackets define the cell."""
    words = b"".join(
        (text.partition(b"]")[0][1:] if text[:1] == b"[" else b"") + rb"\cellx%d" % end for text, end in cells
    )
    texts = b"".join((text.partition(b"]")[2] if text[:1] == b"[" else text) + rb"\cell " for text, _ in cells)
    return rb"\trowd" + words + rb"\pard\intbl " + texts + rb"\row" + b"\n"


def test_merged_cells_stand_in_each_place_that_they_cover() -> None:
    wide = row((b"Boat", 2000), (b"Summer", 6010)) + row((b"", 2000), (b"Half", 4000), (b"Full", 6000))
    tall = row((rb"[\clvmgf]Dinghy", 2000), (b"20", 4000), (b"35", 6000))
    tall += row((rb"[\clvmrg]", 2000), (b"18", 4000), (rb"[\clmrg]", 6000))
    assert rtf(wide + tall + rb"\pard With tax.\par") == (
        "| Boat | Summer | Summer |\n| --- | --- | --- |\n|  | Half | Full |\n| Dinghy | 20 | 35 |\n| Dinghy | 18 | 18 |\n\n"
        "With tax.\n"
    )


def test_tables_that_follow_each_other_with_nothing_between_keep_their_cells_once() -> None:
    first, second = row((b"Boat", 1500), (b"Price", 6000)), row((b"Pier", 2500), (b"Depth", 6000))
    assert rtf(first + second) == "| Boat | Price |\n| --- | --- |\n| Pier | Depth |\n"


def test_boxes_and_notes_stand_below_their_paragraph_and_deleted_text_nowhere() -> None:
    box = rb"{\shp{\*\shpinst{\sp{\sn shapeType}{\sv 202}}{\shptxt\pard In a\par box.\par}}}"
    note = rb"{\super\chftn{\footnote\pard\plain{\super\chftn} Not on Mondays.}}"
    header = rb"{\header\pard HEAD{\shp{\*\shpinst{\shptxt logo\par}}}\par}"
    gone = rb"{\deleted old}{\revised new}{\v secret}"
    assert rtf(header + rb"\pard We" + box + b" open" + note + b" at nine, " + gone + rb".\par After.\par") == (
        "We open[^1] at nine, new.\n\nIn a\nbox.\n\n[^1]: Not on Mondays.\n\nAfter.\n"
    )


def test_a_table_in_a_box_is_text_and_a_note_in_a_cell_stands_below_the_table() -> None:
    box = rb"{\shp{\*\shpinst{\shptxt\trowd\cellx900\cellx1800\pard\intbl a\cell b\cell\row}}}"
    note = rb"{\footnote By the day.}"
    table = row((b"Boat" + note, 2000), (b"Price", 4000)) + row((b"Punt", 2000), (b"9", 4000))
    assert rtf(rb"\pard Before" + box + rb"\par" + table + rb"\pard After.\par") == (
        "Before\n\na b\n\n| Boat[^1] | Price |\n| --- | --- |\n| Punt | 9 |\n\n[^1]: By the day.\n\nAfter.\n"
    )


def test_a_file_that_is_cut_off_within_a_box_keeps_its_text() -> None:
    body = rb"{\rtf1\pard Before{\shp{\*\shpinst{\shptxt\pard In a box"
    assert convert(Page("https://x.example/a.rtf", body)).markdown == "Before\n\nIn a box\n"
