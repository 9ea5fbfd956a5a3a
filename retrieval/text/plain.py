"""Markdown as plain text, the way a reader hears it."""

from __future__ import annotations

import re

# The lengths are bounded, so that a page of a hundred thousand brackets is searched in linear time (test_page.py, "brackets").
LINK = re.compile(r"!?\[([^\]]{0,300})\]\(<?[^)\s>]{0,2000}>?(?:\s+\"[^\"]{0,500}\")?\)")


def plain(markdown: str) -> str:
    """The text without the addresses of links and pictures, the rules of tables, heading signs, and marks of emphasis and code."""
    text = LINK.sub(r"\1", markdown)
    text = re.sub(r"^\|(?:\s*:?-+:?\s*\|)+\s*$", "", text, flags=re.M)
    text = re.sub(r"(\*\*|~~|`+)", "", text)
    return re.sub(r"^#{1,6}\s+", "", text, flags=re.M)
