"""A channel like mail, written as a newcomer would: a webhook in, a reply that needs the subject and the message's id."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from aiohttp import ClientSession, web

from bot.config import ChannelSettings, setting
from bot.messages import Attachment, Check, Declaration, Event, Inbox, Message, Part, Reply, Setup

KEY, SERVER = "FRONTDESK_MAIL_KEY", "FRONTDESK_MAIL_API"


class MailSettings(ChannelSettings):
    """The mail channel; needs FRONTDESK_MAIL_KEY."""

    sender: str = setting("desk@shop.example", "The address that replies come from.")


class Mail:
    """A door for mail."""

    name = "mail"
    burst_seconds = 0.0

    def __init__(self, setup: Setup, inbox: Inbox) -> None:
        self._settings, self._inbox = setup.settings, inbox
        self._key, self._server = setup.config.secret(KEY), setup.config.addresses[SERVER]

    def parse(self, raw: str) -> Message | None:
        mail = json.loads(raw)
        files = tuple(Attachment("document", file["href"], file["name"]) for file in mail.get("files", ()))
        extra = {"subject": mail["subject"]}
        return Message(self.name, mail["from"], mail["from"], mail["body"], attachments=files, extra=extra)

    def render(self, reply: Reply, message: Message) -> list[Part]:
        sources = "".join(f"\n[{item.number}] {item.title}: {item.url}" for item in reply.citations)
        return [{"subject": f"Re: {message.extra['subject']}", "body": reply.text + sources}]

    async def send(self, message: Message, part: Part) -> str:
        mail = {**part, "from": self._settings.sender, "to": message.chat_id, "in_reply_to": message.platform_ids[-1]}
        async with ClientSession(raise_for_status=True) as session:
            answer = await session.post(f"{self._server}/send", json=mail, headers={"Authorization": self._key})
            return str((await answer.json())["id"])

    async def show(self, chat_id: str, event: Event) -> None:
        pass

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.post("/mail/webhook", self._received)]

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        yield

    async def _received(self, request: web.Request) -> web.Response:
        mail = await request.json()
        await self._inbox.accept(self.name, mail["id"], mail["from"], json.dumps(mail))
        return web.Response(status=204)


async def check(setup: Setup) -> list[Check]:
    """Whether its key is set."""
    return [Check("channel mail", is_set_up(setup), f"set {KEY}")]


def is_set_up(setup: Setup) -> bool:
    return bool(setup.config.secret(KEY))


DECLARATION = Declaration("mail", MailSettings, is_set_up, Mail, check, {KEY: "its key"}, {SERVER: "its server"})
