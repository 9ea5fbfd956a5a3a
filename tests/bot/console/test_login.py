"""The owner's password and sessions, logs without secrets, metrics."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path

from aiohttp.test_utils import make_mocked_request

from bot.console.login import COOKIE, Owner, secret_key
from bot.desk.metrics import Metrics
from bot.run.logs import JsonLines


def test_the_first_start_makes_a_password_and_keeps_only_its_hash(tmp_path: Path) -> None:
    owner, password = Owner.opened(tmp_path, b"key", "")
    assert owner.is_right(password)
    assert not owner.is_right(password + "x")
    assert password not in (tmp_path / "owner.hash").read_text(encoding="utf-8")
    assert (tmp_path / "owner.hash").stat().st_mode & 0o077 == 0
    again, none = Owner.opened(tmp_path, b"key", "")
    assert none == ""
    assert again.is_right(password)


def test_a_configured_password_wins(tmp_path: Path) -> None:
    owner, printed = Owner.opened(tmp_path, b"key", "tide table")
    assert printed == ""
    assert owner.is_right("tide table")


def test_a_session_is_good_for_its_own_key_and_password_only(tmp_path: Path) -> None:
    owner, _ = Owner.opened(tmp_path, b"key", "one")
    request = make_mocked_request("GET", "/", headers={"Cookie": f"{COOKIE}={owner.cookie()}"})
    assert owner.is_in(request)
    assert not Owner.opened(tmp_path, b"other", "one")[0].is_in(request)
    assert not Owner.opened(tmp_path, b"key", "two")[0].is_in(request)
    for value in ("", "9999999999.x", "1.é", owner.cookie()[:-1]):
        assert not owner.is_in(make_mocked_request("GET", "/", headers={"Cookie": f"{COOKIE}={value}"}))


def test_passwords_can_only_be_tried_some_times_a_minute(tmp_path: Path) -> None:
    owner, _ = Owner.opened(tmp_path, b"key", "one")
    assert [owner.may_try() for _ in range(12)] == [True] * 10 + [False] * 2


def test_the_secret_key_is_made_once(tmp_path: Path) -> None:
    assert secret_key(tmp_path, "") == secret_key(tmp_path, "")
    assert secret_key(tmp_path, "given") != secret_key(tmp_path, "")
    assert (tmp_path / "secret.key").stat().st_mode & 0o077 == 0


def test_logs_mask_secrets_in_messages_and_tracebacks() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines(["hush-hush"]))
    logger = logging.getLogger("test.masking")
    logger.addHandler(handler)
    logger.propagate = False
    token = "123456789:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQr"
    try:
        raise ValueError(f"https://api.example/bot{token}/x hush-hush")
    except ValueError:
        logger.exception("Bearer abcdefghijkl failed", extra={"channel": "telegram"})
    logger.removeHandler(handler)
    line = json.loads(stream.getvalue())
    assert line["channel"] == "telegram"
    for secret in ("hush-hush", token, "abcdefghijkl"):
        assert secret not in stream.getvalue()


def test_metrics_are_prometheus_text() -> None:
    metrics = Metrics()
    metrics.add("turns", channel="web", outcome="answered")
    metrics.add("turns", channel="web", outcome="answered")
    text = metrics.text({"chunks": 7.0})
    assert 'frontdesk_turns_total{channel="web",outcome="answered"} 2\n' in text
    assert "# TYPE frontdesk_turns_total counter" in text
    assert "frontdesk_chunks 7\n" in text
