"""Structured logs: one JSON object a line, without secrets, message texts or tracebacks' values."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any, TextIO

TELEGRAM_TOKEN = re.compile(r"(?<!\d)\d{6,12}:[\w-]{30,}")
AUTHORIZATION = re.compile(r"(?i)(bearer|basic)\s+[\w.+/=-]{8,}")
EXTRA_FIELDS = ("channel", "source", "job", "outcome")
MASK = "***"


class JsonLines(logging.Formatter):
    """One JSON object a record; whatever is a secret is masked, in messages and tracebacks alike."""

    def __init__(self, secrets: Collection[str]) -> None:
        super().__init__()
        self._secrets = sorted((secret for secret in secrets if len(secret) >= 6), key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.masked(record.getMessage()),
        }
        line |= {name: self.masked(str(getattr(record, name))) for name in EXTRA_FIELDS if hasattr(record, name)}
        if record.exc_info:
            line["traceback"] = self.masked(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)

    def masked(self, text: str) -> str:
        """The text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return AUTHORIZATION.sub(rf"\1 {MASK}", TELEGRAM_TOKEN.sub(MASK, text))


def set_up(secrets: Collection[str], *, stream: TextIO | None = None, level: int = logging.INFO) -> None:
    """Log to standard error from now on."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines(secrets))
    logging.basicConfig(handlers=[handler], level=level, force=True)
    for name in ("aiohttp.access", "apscheduler", "httpx2", "httpcore2", "aiogram", "openai", "twilio"):
        logging.getLogger(name).setLevel(logging.WARNING)
