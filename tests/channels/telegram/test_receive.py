"""Updates reach the inbox once, by polling or by webhook, whatever else is in the way."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import unused_port

from bot.errors import ConfigError
from bot.messages import Channel
from channels.telegram import receive
from channels.telegram.channel import Telegram
from channels.telegram.settings import TelegramSettings as Settings
from tests.channels.recording import FakeInbox, asked, served
from tests.standins.fake_telegram import FakeTelegram

SECRET = "s3cret_Token-1"
HEADER = "X-Telegram-Bot-Api-Secret-Token"


@asynccontextmanager
async def by_webhook(telegram: FakeTelegram, inbox: FakeInbox) -> AsyncIterator[str]:
    """A channel whose webhook is served and set; yields the webhook's address."""
    settings = Settings(mode="webhook")
    base = f"http://127.0.0.1:{(port := unused_port())}"
    made = Telegram(settings, telegram.token, SECRET, inbox, api=telegram.url, public_url=f"{base}/")
    async with served(made.routes(), port), made.opened():
        yield f"{base}/telegram/webhook"


async def post(url: str, body: bytes | str | BytesIO, secret: str | bytes = SECRET) -> tuple[int, str]:
    header = secret if isinstance(secret, str) else secret.decode("utf-8", "surrogateescape")
    async with ClientSession() as session, session.post(url, data=body, headers={HEADER: header}) as response:
        return response.status, response.headers.get("Retry-After", "")


async def test_polled_updates_are_stored_as_they_came_and_then_confirmed(
    channel: Telegram, telegram: FakeTelegram, inbox: FakeInbox
) -> None:
    number = telegram.push_text("Hello 😀", chat_id=99)
    await telegram.until(lambda: number + 1 in telegram.offsets)
    chat_id, raw = inbox.rows[str(number)]
    said = channel.parse(raw)
    assert said
    assert (chat_id, said.text) == ("99", "Hello 😀")


async def test_an_update_that_does_not_parse_stops_nothing(
    channel: Telegram, telegram: FakeTelegram, inbox: FakeInbox
) -> None:
    reaction = {
        "chat": {"id": 77, "type": "private"},
        "new_reaction": [{"type": "brand_new"}],
        "date": "never",
    }
    poison = telegram.push({"message_reaction": reaction})
    number = telegram.push_text("after it")
    await telegram.until(lambda: len(inbox.rows) == 2)
    assert inbox.ids == [str(poison), str(number)]
    assert channel.parse(inbox.raws[0]) is None
    assert channel.parse(inbox.raws[1]) is not None


async def test_a_failed_store_keeps_the_offset_and_nothing_is_lost(
    channel: Telegram, telegram: FakeTelegram, inbox: FakeInbox, caplog: pytest.LogCaptureFixture
) -> None:
    inbox.broken = 1
    number = telegram.push_text("keep me")
    await telegram.until(lambda: inbox.rows)
    assert inbox.ids == [str(number)]
    assert "OSError" in caplog.text
    assert "secret customer text" not in caplog.text


async def test_after_a_quiet_time_a_lower_update_id_is_read_too(
    channel: Telegram, telegram: FakeTelegram, inbox: FakeInbox
) -> None:
    telegram.long_poll = 0.05
    number = telegram.push_text("before")
    await telegram.until(lambda: number + 1 in telegram.offsets and telegram.offsets[-1] is None)
    telegram.push({"update_id": 5, "message": telegram.message("a week later")})
    await telegram.until(lambda: "5" in inbox.rows)


async def test_polling_goes_on_after_errors(
    channel: Telegram, telegram: FakeTelegram, inbox: FakeInbox, caplog: pytest.LogCaptureFixture
) -> None:
    telegram.fail("getUpdates", 409, "Conflict: terminated by other getUpdates request")
    telegram.fail("getUpdates", 502, html=True)
    telegram.push_text("one")
    telegram.push_text("two")
    await telegram.until(lambda: len(inbox.rows) == 2, seconds=15)
    await telegram.until(lambda: not telegram.unspent("getUpdates"), seconds=15)
    assert "another process polls" in caplog.text
    assert telegram.token not in caplog.text


async def test_a_wrong_token_is_said_and_stops_only_the_channel(
    telegram: FakeTelegram, inbox: FakeInbox, caplog: pytest.LogCaptureFixture
) -> None:
    made = Telegram(Settings(), "1:wrong-token", "", inbox, api=telegram.url)
    async with made.opened():
        pass
    assert "FRONTDESK_TELEGRAM_TOKEN" in caplog.text
    assert "wrong-token" not in caplog.text
    assert len(telegram.calls) == 1


async def test_starting_polls_without_dropping_what_waits_and_offers_commands(
    channel: Telegram, telegram: FakeTelegram
) -> None:
    await telegram.until(lambda: len(telegram.commands) == 4)
    assert telegram.called("deleteWebhook") == [{}]
    assert [item["command"] for item in telegram.commands["de"]] == ["help", "reset"]


async def test_a_telegram_that_is_down_does_not_stop_the_start(
    inbox: FakeInbox, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = Telegram(Settings(), "1:down-token", "", inbox, api="http://127.0.0.1:9")
    made.ready_seconds = 0.1
    async with made.opened():
        pass
    assert "getMe failed" in caplog.text
    assert "down-token" not in caplog.text


async def test_the_webhook_is_set_with_its_secret_and_drops_nothing(telegram: FakeTelegram, inbox: FakeInbox) -> None:
    async with by_webhook(telegram, inbox) as url:
        assert telegram.webhook == {
            "url": url,
            "secret_token": SECRET,
            "allowed_updates": ["message", "callback_query"],
        }


async def test_a_webhook_update_is_stored_before_it_is_acknowledged(telegram: FakeTelegram, inbox: FakeInbox) -> None:
    async with by_webhook(telegram, inbox):
        number = telegram.push_text("by webhook")
        await telegram.until(lambda: telegram.deliveries)
        assert telegram.deliveries == [200]
        assert inbox.ids == [str(number)]


async def test_the_same_update_posted_at_once_ten_times_is_one_row(telegram: FakeTelegram, inbox: FakeInbox) -> None:
    async with by_webhook(telegram, inbox):
        update = {"update_id": 12, "message": telegram.message("once")}
        statuses = await asyncio.gather(*(telegram.deliver(update) for _ in range(10)))
    assert statuses == [200] * 10
    assert inbox.ids == ["12"]


@pytest.mark.parametrize("secret", ["", "wrong", SECRET + "x", b"caf\xc3\xa9", b"\xff\xfe"])
async def test_a_wrong_secret_is_refused(telegram: FakeTelegram, inbox: FakeInbox, secret: str | bytes) -> None:
    async with by_webhook(telegram, inbox) as url:
        assert (await post(url, '{"update_id": 1}', secret))[0] == 403
    assert inbox.calls == 0


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"update_id": "x"}', b"\xff", b"[" * 5000, b"{}"])
async def test_junk_with_the_right_secret_is_dropped_and_acknowledged(
    telegram: FakeTelegram, inbox: FakeInbox, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with by_webhook(telegram, inbox) as url:
        assert (await post(url, body))[0] == 200
    assert inbox.calls == 0
    assert "is no update" in caplog.text


async def test_a_body_over_a_mebibyte_is_refused(telegram: FakeTelegram, inbox: FakeInbox) -> None:
    async with by_webhook(telegram, inbox) as url:
        assert (await post(url, BytesIO(b" " * (receive.MOST_UPDATE_BYTES + 1))))[0] == 413


async def test_what_could_not_be_stored_is_sent_again(telegram: FakeTelegram, inbox: FakeInbox) -> None:
    async with by_webhook(telegram, inbox) as url:
        inbox.broken = 2
        assert await post(url, '{"update_id": 3}') == (503, "5")
        telegram.push_text("second try")
        await telegram.until(lambda: len(telegram.deliveries) == 2)
    assert telegram.deliveries == [503, 200]


async def test_a_tap_is_answered_at_once_and_a_late_answer_harms_nothing(
    channel: Telegram, telegram: FakeTelegram, inbox: FakeInbox
) -> None:
    await channel.send(asked("77"), {"text": "Was it right?"})
    telegram.fail("answerCallbackQuery", 400, "Bad Request: query is too old and response timeout expired")
    telegram.push_tap("f:turn-1:u", telegram.sent[0])
    telegram.push_tap("f:turn-1:d", telegram.sent[0])
    telegram.push_text("still there?")
    await telegram.until(lambda: len(inbox.rows) == 3 and len(telegram.called("answerCallbackQuery")) == 2)
    said = channel.parse(inbox.raws[1])
    assert said
    assert (said.kind, said.turn_id, said.rating) == ("feedback", "turn-1", -1)
    assert telegram.called("answerCallbackQuery")[1]["text"] == "Thank you!"


@pytest.mark.parametrize(
    ("secret", "public_url", "named"),
    [
        ("", "https://a.b", "FRONTDESK_TELEGRAM_SECRET"),
        ("not allowed!", "https://a.b", "FRONTDESK_TELEGRAM_SECRET"),
        (SECRET, "", "server.public_url"),
    ],
)
def test_a_webhook_does_not_start_without_secret_and_address(
    inbox: FakeInbox, secret: str, public_url: str, named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        Telegram(Settings(mode="webhook"), "1:x", secret, inbox, public_url=public_url)


def test_a_token_of_the_wrong_shape_is_not_repeated(inbox: FakeInbox) -> None:
    with pytest.raises(ConfigError) as caught:
        Telegram(Settings(), "not-one", "", inbox)
    assert "not-one" not in str(caught.value)


def test_a_poller_is_a_channel_without_routes(inbox: FakeInbox) -> None:
    door: Channel = Telegram(Settings(burst_seconds=2), "1:x", "", inbox)
    assert (door.name, door.burst_seconds, door.routes()) == ("telegram", 2, [])


async def test_a_lone_surrogate_is_stored_as_text_that_any_database_takes(
    channel: Telegram, telegram: FakeTelegram, inbox: FakeInbox
) -> None:
    telegram.push_text("half \ud83d")
    await telegram.until(lambda: inbox.rows)
    assert inbox.raws[0].isascii()
    assert json.loads(inbox.raws[0])["message"]["text"] == "half \ud83d"
