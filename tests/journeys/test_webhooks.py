"""Webhooks of a whole bot: taken once however often they come, only from those who may, and told what became of replies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp.test_utils import unused_port

from tests.journeys.clients import OnWhatsApp, on_whatsapp
from tests.journeys.house import QUIET, House, Served, answered, number, until
from tests.standins.fake_telegram import FakeTelegram

HOURS = "When are you open?"
PRICE = "How much is a single kayak for half a day?"
WEBHOOK = QUIET + '[channels.telegram]\nmode = "webhook"\nburst_seconds = 0\nstream = false\n'


@asynccontextmanager
async def by_webhook(house: House, telegram: FakeTelegram) -> AsyncIterator[Served]:
    port = unused_port()
    environ = {
        "FRONTDESK_TELEGRAM_TOKEN": telegram.token,
        "FRONTDESK_TELEGRAM_SECRET": "stand-in-secret",
        "FRONTDESK_TELEGRAM_API": telegram.url,
        "FRONTDESK_SERVER__PUBLIC_URL": f"http://127.0.0.1:{port}",
    }
    async with house.served(WEBHOOK, environ, port=port) as served:
        yield served


async def test_an_update_that_telegram_posts_five_times_at_once_is_answered_once(house: House) -> None:
    async with FakeTelegram() as telegram, by_webhook(house, telegram) as served:
        update = {"update_id": 7, "message": telegram.message(HOURS)}
        statuses = await asyncio.gather(*(telegram.deliver(update) for _ in range(5)))
        await answered(served.bot.db, "telegram", 1)
        assert await telegram.deliver(update) == 200
        assert statuses == [200] * 5
        assert len([message for message in telegram.sent if "9:30" in message["text"]]) == 1


async def test_an_update_without_the_secret_is_not_taken(house: House) -> None:
    async with FakeTelegram() as telegram, by_webhook(house, telegram) as served:
        update = {"update_id": 7, "message": telegram.message(HOURS)}
        assert await telegram.deliver(update, secret="guessed") == 403
        assert await number(served.bot.db, "SELECT count(*) FROM inbox") == 0


async def test_telegrams_wish_to_wait_is_kept_and_the_order_too(house: House) -> None:
    async with FakeTelegram() as telegram, by_webhook(house, telegram) as served:
        telegram.fail("sendMessage", 429, "Too Many Requests: retry after 1", retry_after=1)
        began = asyncio.get_running_loop().time()
        for text in (HOURS, PRICE):
            telegram.push_text(text)
            await asyncio.sleep(0.05)
        await answered(served.bot.db, "telegram", 2)
        assert asyncio.get_running_loop().time() - began >= 1
    first, second = (message["text"] for message in telegram.sent)
    assert "9:30" in first
    assert "£24" in second


async def test_a_whatsapp_message_that_comes_five_times_at_once_is_answered_once(house: House) -> None:
    async with on_whatsapp(house, QUIET, None) as visitor:
        assert isinstance(visitor, OnWhatsApp)
        twilio = visitor.twilio
        form = list(twilio.form(HOURS).items())
        statuses = await asyncio.gather(*(twilio.post("/whatsapp/webhook", form) for _ in range(5)))
        await answered(visitor.bot.db, "whatsapp", 1)
        assert statuses == [200] * 5
        assert len(twilio.sent) == 1


async def test_a_whatsapp_message_with_a_wrong_signature_is_not_taken(house: House) -> None:
    async with on_whatsapp(house, QUIET, None) as visitor:
        assert isinstance(visitor, OnWhatsApp)
        form = list(visitor.twilio.form(HOURS).items())
        assert await visitor.twilio.post("/whatsapp/webhook", form, signature="forged") == 403
        assert await number(visitor.bot.db, "SELECT count(*) FROM inbox") == 0


async def test_what_became_of_a_whatsapp_reply_only_goes_forward(house: House) -> None:
    async with on_whatsapp(house, QUIET, None) as visitor:
        assert isinstance(visitor, OnWhatsApp)
        await visitor.say(HOURS, 1)
        sid = visitor.twilio.sent[0]["sid"]
        await visitor.twilio.progress(sid, "sent", "read", "delivered", "sent")
        read = "SELECT count(*) FROM deliveries WHERE platform_id = $1 AND state = 'read'"
        await until(lambda: number(visitor.bot.db, read, sid))
        await visitor.twilio.progress(sid, "undelivered", error_code="63016")
        row = await visitor.bot.db.one("SELECT state, error FROM deliveries WHERE platform_id = $1", sid)
    assert row is not None
    assert row["state"] == "failed"
    assert row["error"]


async def test_a_visitor_whom_whatsapp_does_not_reach_gets_no_half_reply(house: House) -> None:
    async with on_whatsapp(house, QUIET, None) as visitor:
        assert isinstance(visitor, OnWhatsApp)
        visitor.twilio.fail(400, 63024, "Invalid message recipient")
        assert await visitor.say(HOURS, 1) == ""
        assert "£24" in await visitor.say(PRICE, 2)
        assert await number(visitor.bot.db, "SELECT count(*) FROM deliveries WHERE state = 'failed'") == 1
