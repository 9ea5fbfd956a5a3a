"""Markdown as plain text."""

from __future__ import annotations

from retrieval.text.plain import plain


def test_plain_text_has_no_addresses_marks_or_rules() -> None:
    markdown = (
        "## Boats\n\n[**Dinghy**](https://x.example/a) ![Quay](q.jpg)\n\n| A | B |\n| --- | --- |\n| 1 | `two` |\n"
    )
    assert plain(markdown).split() == ["Boats", "Dinghy", "Quay", "|", "A", "|", "B", "|", "|", "1", "|", "two", "|"]
