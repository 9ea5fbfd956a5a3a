"""PDF as Markdown."""

from retrieval.pdf.convert import convert_pdf

__all__ = ["convert_pdf"]
