"""PDF as Markdown."""

from retrieval.convert.pdf.convert import convert_pdf

__all__ = ["convert_pdf"]
