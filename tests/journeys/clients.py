"""Visitors: each speaks to a whole bot by what its platform really sends, and tells what a person would see."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from playwright.async_api import Browser, Page

from bot.app import Bot
from channels.telegram.channel import Telegram
from channels.telegram.live import EditPace
from channels.terminal import PROMPT, Terminal
from channels.whatsapp.channel import WhatsApp
from tests.journeys.house import House, answered, number, until
from tests.standins.fake_telegram import FakeTelegram
from tests.standins.fake_twilio import FakeTwilio

RATED = "SELECT count(*) FROM turns WHERE rating IS NOT NULL"


class Visitor(Protocol):
    """Somebody at one of the doors."""

    bot: Bot

    async def say(self, text: str, turns: int) -> str:
        """Send a text and return all that came back; `turns` is how many there are by then."""

    async def thumb(self, rating: int) -> None:
        """Rate the last answer."""


@dataclass
class OnTelegram:
    """Taps thumbs where Telegram shows them."""

    bot: Bot
    telegram: FakeTelegram

    async def say(self, text: str, turns: int) -> str:
        before = {message["message_id"] for message in self.telegram.sent}
        self.telegram.push_text(text)
        await answered(self.bot.db, "telegram", turns)
        return "\n".join(_as_read(item) for item in self.telegram.sent if item["message_id"] not in before)

    async def thumb(self, rating: int) -> None:
        shown = self.telegram.sent[-1]
        buttons = [button for row in shown["reply_markup"]["inline_keyboard"] for button in row]
        data = next(item["callback_data"] for item in buttons if item["text"] == ("👍" if rating > 0 else "👎"))
        self.telegram.push_tap(data, shown)
        await until(lambda: number(self.bot.db, RATED))


def _as_read(message: dict[str, Any]) -> str:
    links = [item["url"] for item in message["entities"] if item.get("url")]
    return "\n".join([message["text"], *links])


@dataclass
class OnWhatsApp:
    """Writes thumbs as messages."""

    bot: Bot
    twilio: FakeTwilio

    async def say(self, text: str, turns: int) -> str:
        before = len(self.twilio.sent)
        assert await self.twilio.post_text(text) == 200
        await answered(self.bot.db, "whatsapp", turns)
        return "\n".join(form["Body"] for form in self.twilio.sent[before:])

    async def thumb(self, rating: int) -> None:
        await self.twilio.post_text("👍" if rating > 0 else "👎")
        await until(lambda: number(self.bot.db, RATED))


class OnTerminal:
    """Types lines; the terminal greets by itself, as if /start had been typed."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.lines: queue.Queue[str] = queue.Queue()
        self.written = ""

    def write(self, text: str) -> None:
        self.written += text

    async def say(self, text: str, turns: int) -> str:
        before = 0
        if text != "/start":
            before = len(self.written)
            self.lines.put(text + "\n")
        await until(lambda: _true(PROMPT in self.written[before:]))
        await answered(self.bot.db, "terminal", turns)
        return self.written[before:]

    async def thumb(self, rating: int) -> None:
        self.lines.put("👍\n" if rating > 0 else "👎\n")
        await until(lambda: number(self.bot.db, RATED))


async def _true(value: object) -> object:
    return value


@dataclass
class InBrowser:
    """Uses the widget on the page at `/` by mouse and keyboard."""

    bot: Bot
    page: Page

    async def say(self, text: str, turns: int) -> str:
        before = await self.page.locator(".reply").count()
        choice = self.page.locator(".offers.choices button", has_text=text)
        if text == "/reset":
            await self.page.get_by_label("New conversation").click()
        elif await choice.count():
            await choice.click()
        else:
            await self.page.locator("textarea").fill(text)
            await self.page.keyboard.press("Enter")
        await answered(self.bot.db, "web", turns)
        if text == "/reset":
            await self.page.wait_for_selector(".divider")
            return ""
        await self.page.locator(".reply").nth(before).wait_for()
        await self.page.locator(".reply.writing").wait_for(state="detached")
        return str(await self.page.locator(".reply").last.inner_text())

    async def thumb(self, rating: int) -> None:
        await self.page.locator(".thumbs").last.locator("button").nth(0 if rating > 0 else 1).click()
        await until(lambda: number(self.bot.db, RATED))


Opening = Callable[[House, str, Browser | None], AbstractAsyncContextManager[Visitor]]


@asynccontextmanager
async def on_telegram(house: House, toml: str, _: Browser | None = None) -> AsyncIterator[Visitor]:
    async with FakeTelegram() as telegram:
        environ = {"FRONTDESK_TELEGRAM_TOKEN": telegram.token, "FRONTDESK_TELEGRAM_API": telegram.url}
        async with house.served(toml + "[channels.telegram]\nburst_seconds = 0\n", environ) as served:
            for channel in served.bot.channels:
                if isinstance(channel, Telegram):
                    channel.pace = EditPace(edit=0.05, edit_in_group=0.05)
            yield OnTelegram(served.bot, telegram)


@asynccontextmanager
async def on_whatsapp(house: House, toml: str, _: Browser | None = None) -> AsyncIterator[Visitor]:
    async with FakeTwilio() as twilio:
        environ = {
            "FRONTDESK_TWILIO_ACCOUNT_SID": twilio.account_sid,
            "FRONTDESK_TWILIO_AUTH_TOKEN": twilio.auth_token,
            "FRONTDESK_TWILIO_API": twilio.url,
            "FRONTDESK_SERVER__PUBLIC_URL": twilio.public,
        }
        async with house.served(toml + "[channels.whatsapp]\nburst_seconds = 0\n", environ) as served:
            twilio.local = served.base
            for channel in served.bot.channels:
                if isinstance(channel, WhatsApp):
                    channel.between_parts = 0.02
            yield OnWhatsApp(served.bot, twilio)


@asynccontextmanager
async def on_terminal(house: House, toml: str, _: Browser | None = None) -> AsyncIterator[Visitor]:
    async with house.bot(toml) as bot:
        visitor = OnTerminal(bot)
        terminal = Terminal(bot.desk, visitor.lines.get, visitor.write)
        async with bot.desk.opened([terminal]), terminal.opened():
            talk = asyncio.create_task(terminal.converse())
            yield visitor
            visitor.lines.put("/quit\n")
            await talk


@asynccontextmanager
async def in_browser(house: House, toml: str, browser: Browser | None = None) -> AsyncIterator[Visitor]:
    assert browser is not None
    async with house.served(toml) as served:
        context = await browser.new_context(viewport={"width": 1100, "height": 800})
        page = await context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        await page.goto(served.base + "/")
        await page.locator(".reply").first.wait_for()
        yield InBrowser(served.bot, page)
        await context.close()
        assert problems == []
