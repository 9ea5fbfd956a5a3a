"""Converters of office files, tables and plain text."""
