"""The converter of PDF files."""

from retrieval.convert.pdf.convert import convert_pdf

__all__ = ["convert_pdf"]
