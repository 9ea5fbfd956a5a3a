"""A new channel touches its own file and one line of a table; settings, documentation, doctor and the desk know it then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from bot.app import CHANNELS, bot_of, configured, serving
from bot.cli import reference
from bot.cli.doctor import examined
from bot.errors import ConfigError
from bot.messages import Attachment, Setup
from tests.channels.recording import FakeInbox
from tests.journeys import mail
from tests.journeys.business import PAGES
from tests.journeys.house import QUIET, House, answered, number, until

LETTER = {
    "id": "<1@ann.example>",
    "from": "ann@ann.example",
    "subject": "Kayaks",
    "body": "What does a double kayak cost?",
    "files": [{"href": "https://ann.example/photo.pdf", "name": "photo.pdf"}],
}
WITH_MAIL = {**CHANNELS, "mail": "tests.journeys.mail"}


def test_it_is_as_short_as_it_is_promised() -> None:
    assert len(Path(mail.__file__).read_text(encoding="utf-8").splitlines()) <= 80


def test_its_section_variables_and_check_come_from_its_own_declaration(tmp_path: Path) -> None:
    page = reference.settings(WITH_MAIL)
    assert "## `[channels.mail]`" in page
    assert "The address that replies come from." in page
    assert "`FRONTDESK_MAIL_KEY`: its key" in page
    file = tmp_path / "frontdesk.toml"
    file.write_text("[channels.mail]\nsendr = 1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"channels\.mail\.sendr: there is no such key"):
        configured(file, {}, WITH_MAIL)
    with pytest.raises(ConfigError, match=r"\[channels\.mail\] is not a channel"):
        configured(file, {})


def test_it_can_bring_what_came_with_a_message() -> None:
    config = configured(None, {mail.KEY: "k", mail.SERVER: "http://127.0.0.1:9"}, WITH_MAIL)
    door = mail.Mail(Setup(config, config.channels["mail"], b"", lambda language: {}), FakeInbox())
    message = door.parse(json.dumps(LETTER))
    assert message is not None
    assert message.attachments == (Attachment("document", "https://ann.example/photo.pdf", "photo.pdf"),)
    assert message.extra == {"subject": "Kayaks"}


async def test_doctor_asks_it(tmp_path: Path) -> None:
    config = configured(None, {"FRONTDESK_RETRIEVAL__MODE": "keyword"}, WITH_MAIL)
    checks = {check.name: check for check in await examined(config, tmp_path, WITH_MAIL)}
    assert (checks["channel mail"].ok, checks["channel mail"].text) == (False, "set FRONTDESK_MAIL_KEY")


async def test_a_mail_is_answered_under_its_subject_also_after_a_restart(house: House) -> None:
    outbox: list[dict[str, str]] = []
    down = True

    async def send(request: web.Request) -> web.Response:
        if down:
            raise web.HTTPServiceUnavailable
        outbox.append(await request.json())
        return web.json_response({"id": f"out-{len(outbox)}"})

    server = web.Application()
    server.router.add_post("/send", send)
    async with TestServer(server) as outside:
        environ = {"FRONTDESK_MAIL_KEY": "k", "FRONTDESK_MAIL_API": str(outside.make_url("")).rstrip("/")}
        file = house.folder / "frontdesk.toml"
        file.write_text(QUIET, encoding="utf-8")
        config = configured(file, environ, WITH_MAIL)
        for opening in range(2):
            async with (
                bot_of("bot", config, house.data) as bot,
                serving([bot], "127.0.0.1", 0, channels=WITH_MAIL) as served,
                ClientSession() as session,
            ):
                if not opening:
                    await bot.knowledge.put(PAGES)
                    assert (await session.post(f"{served.base}/mail/webhook", json=LETTER)).status == 204
                    await until(lambda: number(bot.db, "SELECT count(*) FROM deliveries WHERE tries > 0"))
                else:
                    await answered(bot.db, "mail", 1)
            down = False
    (sent,) = outbox
    assert (sent["subject"], sent["in_reply_to"]) == ("Re: Kayaks", "<1@ann.example>")
    assert (sent["from"], sent["to"]) == ("desk@shop.example", "ann@ann.example")
    assert "[1]" in sent["body"]
