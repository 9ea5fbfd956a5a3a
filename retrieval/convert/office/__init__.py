"""Documents of each kind as Markdown."""
