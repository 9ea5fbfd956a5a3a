"""What commands print on standard output: a line, or one JSON object and nothing else."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retrieval.ingest.journal import Report


def put(text: str) -> None:
    """A line for standard output."""
    sys.stdout.write(text + "\n")


def put_json(record: object) -> None:
    """One JSON object for standard output."""
    put(json.dumps(record, ensure_ascii=False, indent=2))


def report_json(report: Report) -> dict[str, Any]:
    """A crawl's report as `crawl --json` and `add --json` print it; `reason` is the decision in words."""
    return {
        "source": report.source,
        "outcome": report.outcome,
        "counts": report.counts,
        "note": report.note,
        "pages": [
            {
                "url": url,
                "decision": decision.state,
                "kind": decision.kind,
                "target": decision.target,
                "reason": decision.in_words,
                "change": report.changes.get(url, ""),
            }
            for url, decision in report.decisions.items()
        ],
    }
