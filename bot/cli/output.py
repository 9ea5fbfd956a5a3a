"""What commands print on standard output: a line, or one JSON object and nothing else."""

from __future__ import annotations

import json
import sys


def put(text: str) -> None:
    """A line for standard output."""
    sys.stdout.write(text + "\n")


def put_json(record: object) -> None:
    """One JSON object for standard output."""
    put(json.dumps(record, ensure_ascii=False, indent=2))
