"""How much of one PDF is read, so that neither a huge file nor a trap can hold up the rest."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfLimits:
    """Bounds on what is read; all chosen by hand, no command measures them."""

    pages: int = 2000
    scans: int = 100
    """Scanned pages of one file that are read; each takes seconds."""
    letters: int = 200_000
    """Letters of one page; more are drawings made of letters, or a trap."""
    paths: int = 20_000
    """Drawings of one page, and pieces of one drawing."""
    strokes: int = 1500
    """Ruled lines of one page; a page with more is a drawing, not a table."""
    scan_pixels: int = 30_000_000
    """Pixels of the picture that is made of one scanned page."""
    scan_seconds: float = 90
    """The longest time that reading one scanned page may take."""


PDF_LIMITS = PdfLimits()
