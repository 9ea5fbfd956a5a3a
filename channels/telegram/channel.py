"""The Telegram channel, as the application constructs it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import AsyncIterator, Sequence

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import TelegramNotFound, TelegramUnauthorizedError
from aiogram.methods import DeleteWebhook, GetMe, SetMyCommands, SetWebhook
from aiogram.types import BotCommand
from aiogram.utils.token import TokenValidationError
from aiohttp import web

from bot.errors import ConfigError
from bot.messages import Delta, Done, Event, Inbox, Message, Part, Reply, Start
from channels.telegram import render, updates
from channels.telegram.live import EditPace, Live
from channels.telegram.receive import ALLOWED_UPDATES, Receiver, persist
from channels.telegram.send import FAILURES, WRONG_TOKEN, address, deliver, failure
from channels.telegram.settings import TelegramSettings

log = logging.getLogger(__name__)

WEBHOOK_PATH = "/telegram/webhook"
COMMAND_MENU = {
    "": {"help": "What I can do", "reset": "Start over"},
    "de": {"help": "Was ich kann", "reset": "Neu beginnen"},
    "es": {"help": "Lo que puedo hacer", "reset": "Empezar de nuevo"},
    "fr": {"help": "Ce que je sais faire", "reset": "Recommencer"},
}


class Telegram:
    """A door for Telegram, by long polling or by webhook."""

    name = "telegram"
    pace = EditPace()
    ready_seconds = 10.0
    """How long start-up waits for Telegram; after that the channel goes on trying beside the others."""

    def __init__(
        self,
        config: TelegramSettings,
        token: str,
        secret: str,
        inbox: Inbox,
        *,
        api: str = "https://api.telegram.org",
        public_url: str = "",
    ) -> None:
        """Raises ConfigError for a token of the wrong shape, and for a webhook without secret or address."""
        if problems := _problems(config, secret, public_url):
            raise ConfigError(problems)
        self.burst_seconds = config.burst_seconds
        self._config = config
        self._secret = secret
        self._public_url = public_url.rstrip("/")
        self._bot = _bot(token, api)
        self._receiver = Receiver(self._bot, secret, inbox)
        self._me = updates.Me(self._bot.id)
        self._lives: dict[str, Live] = {}
        self._ready = asyncio.Event()

    def parse(self, raw: str) -> Message | None:
        """A raw update as a message; None when it isn't for us."""
        return updates.parse(raw, self._me)

    def render(self, reply: Reply, message: Message) -> list[Part]:
        """A reply as parts of text, entities and buttons."""
        return render.render(reply)

    async def send(self, message: Message, part: Part) -> str:
        """Send one part; the first one after a stream takes the streamed message's place."""
        chat_id = message.chat_id
        live = self._lives.get(chat_id)
        message_id = await live.finish() if live else None
        try:
            if message_id and "keyboard" in part.get("reply_markup", {}):
                await self._remove(chat_id, message_id)
                message_id = None
            sent = await deliver(self._bot, chat_id, part, message_id)
        except FAILURES as error:
            raise failure(error, self._bot.token) from None
        self._lives.pop(chat_id, None)
        return sent

    async def _remove(self, chat_id: str, message_id: int) -> None:
        """Delete a streamed message: an edit can't bring the keyboard of choices."""
        with contextlib.suppress(*FAILURES):
            await self._bot.delete_message(address(chat_id)[0], message_id, request_timeout=10)

    async def show(self, chat_id: str, event: Event) -> None:
        """Typing from Start to Done; with `stream`, the answer in one message that grows."""
        match event:
            case Start():
                self._live(chat_id, fresh=True)
            case Delta() if self._config.stream:
                self._live(chat_id).add(event.text)
            case Done() if chat_id in self._lives:
                self._lives[chat_id].end()

    def _live(self, chat_id: str, *, fresh: bool = False) -> Live:
        live = self._lives.get(chat_id)
        if live and not fresh:
            return live
        if live:
            live.end()
        self._lives[chat_id] = Live(self._bot, chat_id, self.pace)
        return self._lives[chat_id]

    def routes(self) -> Sequence[web.RouteDef]:
        """The webhook, when Telegram is to call it."""
        return [web.post(WEBHOOK_PATH, self._receiver.webhook)] if self._config.mode == "webhook" else []

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Set up and receive, for as long as it is entered; a Telegram that is down stops nothing else."""
        running = asyncio.create_task(self._run())
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ready.wait(), self.ready_seconds)
            yield
        finally:
            running.cancel()
            await asyncio.wait([running])
            await asyncio.gather(*(live.finish() for live in self._lives.values()))
            await self._receiver.close()
            await self._bot.session.close()

    async def _run(self) -> None:
        try:
            me = await persist(self._bot, GetMe())
            self._me = updates.Me(me.id, me.username or "")
            await persist(self._bot, self._hook())
            self._ready.set()
            await self._offer_commands()
            if self._config.mode == "polling":
                await self._receiver.poll()
        except (TelegramUnauthorizedError, TelegramNotFound):
            log.error("%s. The Telegram channel is off until the next start.", WRONG_TOKEN)
        except Exception as error:  # noqa: BLE001 - the outermost place: never end in silence
            log.error("the Telegram channel stopped by a fault of its own: %s", type(error).__name__)
        finally:
            self._ready.set()

    def _hook(self) -> SetWebhook | DeleteWebhook:
        """Updates that wait at Telegram are never dropped: they are customers' messages."""
        if self._config.mode == "polling":
            return DeleteWebhook()
        return SetWebhook(
            url=self._public_url + WEBHOOK_PATH, secret_token=self._secret, allowed_updates=ALLOWED_UPDATES
        )

    async def _offer_commands(self) -> None:
        for language, menu in COMMAND_MENU.items():
            commands = [BotCommand(command=word, description=text) for word, text in menu.items()]
            try:
                await self._bot(SetMyCommands(commands=commands, language_code=language or None), request_timeout=10)
            except FAILURES as error:
                log.warning("the menu of commands was not set: %s", type(error).__name__)
                return


def _problems(config: TelegramSettings, secret: str, public_url: str) -> list[str]:
    if config.mode == "polling":
        return []
    problems = []
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", secret):
        problems.append("FRONTDESK_TELEGRAM_SECRET: a webhook needs it, as 1 to 256 of A-Z a-z 0-9 _ -")
    if not public_url.startswith(("https://", "http://")):
        problems.append("server.public_url: a Telegram webhook needs the address, as https://bot.example")
    return problems


def _bot(token: str, api: str) -> Bot:
    try:
        return Bot(token, session=AiohttpSession(api=TelegramAPIServer.from_base(api)))
    except TokenValidationError:
        raise ConfigError(["FRONTDESK_TELEGRAM_TOKEN: has no token's shape, as 123456:ABC-DEF"]) from None
