"""Markdown as a reader hears it."""

from __future__ import annotations

import re

LINK = re.compile(r"!?\[([^\]]{0,300})\]\(<?[^)\s>]{0,2000}>?(?:\s+\"[^\"]{0,500}\")?\)")


def plain(markdown: str) -> str:
    """Markdown as a reader hears it: link and image addresses, table rules and emphasis marks gone."""
    text = LINK.sub(r"\1", markdown)
    text = re.sub(r"^\|(?:\s*:?-+:?\s*\|)+\s*$", "", text, flags=re.M)
    text = re.sub(r"(\*\*|~~|`+)", "", text)
    return re.sub(r"^#{1,6}\s+", "", text, flags=re.M)
