"""Presentations."""

from __future__ import annotations

from retrieval.convert.convert import convert
from retrieval.document import Page
from tests.retrieval.convert.office.packages import presentation, shape


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
