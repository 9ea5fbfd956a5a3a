"""Rich Text Format."""

from __future__ import annotations

import pytest

from retrieval.convert.convert import convert
from retrieval.convert.office import rtf
from retrieval.convert.office.legacy import WORD_STREAM as WORD_STREAM
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
    assert rtf.MOST_NESTED_GROUPS < 1000
    with pytest.raises(ConvertError, match="nested too deeply"):
        convert(Page("https://x.example/a.rtf", b"{\\rtf1" + b"{" * 600))


def test_a_file_that_is_rich_text_by_its_bytes_is_read_as_such() -> None:
    assert convert(Page("https://x.example/a.doc", RICH)).markdown.startswith("# Café")
