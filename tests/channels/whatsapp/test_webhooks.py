"""Webhooks are believed only with Twilio's signature, and acknowledged only after they are stored."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import ClientSession, web

from bot.errors import ConfigError
from bot.messages import Channel
from channels.whatsapp.channel import WhatsApp
from channels.whatsapp.settings import WhatsAppSettings as Settings
from tests.channels.recording import FakeInbox, served
from tests.standins.fake_twilio import BUSINESS, VISITOR, FakeTwilio

pytestmark = pytest.mark.usefixtures("channel")
PATH = "/whatsapp/webhook"


async def test_a_message_behind_a_tls_proxy_is_stored_and_acknowledged(
    channel: WhatsApp, twilio: FakeTwilio, inbox: FakeInbox
) -> None:
    assert twilio.public.startswith("https://")
    assert twilio.local.startswith("http://")
    assert await twilio.post_text("héllo 😀 & = +") == 200
    (number,) = inbox.ids
    chat_id, raw = inbox.rows[number]
    said = channel.parse(raw)
    assert number.startswith("SM")
    assert chat_id == f"{VISITOR}|{BUSINESS}"
    assert said
    assert (said.text, said.chat_id) == ("héllo 😀 & = +", chat_id)


async def test_the_answer_is_empty_xml(twilio: FakeTwilio) -> None:
    pairs = list(twilio.form("hi").items())
    headers = {"X-Twilio-Signature": twilio.sign(twilio.public + PATH, pairs)}
    address = twilio.local + PATH
    async with ClientSession() as session, session.post(address, data=pairs, headers=headers) as response:
        assert (await response.text(), response.content_type) == ("<Response/>", "text/xml")


async def test_blank_repeated_and_unknown_fields_are_signed_too(twilio: FakeTwilio, inbox: FakeInbox) -> None:
    pairs = [*twilio.form("hi").items(), ("Twice", "b"), ("Twice", "a"), ("Blank", ""), ("Ünknown", "é")]
    assert await twilio.post(PATH, pairs) == 200
    assert '["Twice", "b"], ["Twice", "a"], ["Blank", ""]' in inbox.raws[0]


async def test_the_query_belongs_to_the_signed_address(twilio: FakeTwilio) -> None:
    pairs = list(twilio.form("hi").items())
    assert await twilio.post(f"{PATH}?a=1&b=%20x", pairs) == 200
    assert await twilio.post(f"{PATH}?a=2", pairs, twilio.sign(f"{twilio.public}{PATH}?a=1", pairs)) == 403


@pytest.mark.parametrize("mounted", ["", "/b/shop"])
async def test_a_public_address_with_a_path_is_signed_whether_the_proxy_keeps_the_path_or_not(
    inbox: FakeInbox, mounted: str
) -> None:
    async with FakeTwilio(public="https://bot.example/b/shop") as twilio:
        made = WhatsApp(Settings(), twilio.account_sid, twilio.auth_token, inbox, public_url=twilio.public)
        routes = [web.post(mounted + PATH, made.routes()[0].handler)]
        pairs = list(twilio.form("hi").items())
        async with served(routes) as twilio.local:
            assert await twilio.post(mounted + PATH, pairs, twilio.sign(twilio.public + PATH, pairs)) == 200


@pytest.mark.parametrize("signature", ["", "wrong", "ünïcode", "A" * 28])
async def test_a_wrong_signature_is_refused_and_the_log_says_what_to_check(
    twilio: FakeTwilio, inbox: FakeInbox, signature: str, caplog: pytest.LogCaptureFixture
) -> None:
    pairs = list(twilio.form("my secret question").items())
    assert await twilio.post(PATH, pairs, signature) == 403
    assert await twilio.post("/whatsapp/status", pairs, signature) == 403
    assert inbox.calls == 0
    assert f"server.public_url ({twilio.public})" in caplog.text
    assert "my secret question" not in caplog.text
    assert twilio.auth_token not in caplog.text


async def test_a_signature_for_the_local_address_is_refused(twilio: FakeTwilio) -> None:
    pairs = list(twilio.form("hi").items())
    assert await twilio.post(PATH, pairs, twilio.sign(twilio.local + PATH, pairs)) == 403


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{}", "application/json"),
        (b"Body=\xff\xfe", "application/x-www-form-urlencoded"),
        (b"x", "application/x-www-form-urlencoded; charset=no-such"),
        (b"--b\r\nbroken", "multipart/form-data; boundary=b"),
        (
            b"--b\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\nx\r\n--b--\r\n",
            "multipart/form-data; boundary=b",
        ),
    ],
)
async def test_a_body_that_is_no_form_is_refused(twilio: FakeTwilio, body: bytes, kind: str) -> None:
    headers = {"Content-Type": kind, "X-Twilio-Signature": "x"}
    address = twilio.local + PATH
    async with ClientSession() as session, session.post(address, data=body, headers=headers) as response:
        assert response.status == 403


async def test_the_same_message_posted_ten_times_at_once_is_one_row(twilio: FakeTwilio, inbox: FakeInbox) -> None:
    pairs = list(twilio.form("once").items())
    assert await asyncio.gather(*(twilio.post(PATH, pairs) for _ in range(10))) == [200] * 10
    assert len(inbox.rows) == 1


async def test_what_could_not_be_stored_is_not_acknowledged(
    twilio: FakeTwilio, inbox: FakeInbox, caplog: pytest.LogCaptureFixture
) -> None:
    inbox.broken = 1
    assert await twilio.post_text("hi") == 503
    inbox.broken = 1
    pairs = [("MessageSid", "SM1"), ("MessageStatus", "sent")]
    assert await twilio.post("/whatsapp/status", pairs) == 503
    assert "secret customer text" not in caplog.text


async def test_a_signed_form_without_a_message_is_dropped(twilio: FakeTwilio, inbox: FakeInbox) -> None:
    assert await twilio.post(PATH, [("Body", "hi")]) == 200
    assert inbox.calls == 0


async def test_progress_is_told_in_our_words_as_it_comes(twilio: FakeTwilio, inbox: FakeInbox) -> None:
    await twilio.progress("SM1", "queued", "sending", "read", "delivered", "sent", "canceled", "brand_new")
    assert inbox.progress == [
        ("SM1", "read", ""),
        ("SM1", "delivered", ""),
        ("SM1", "sent", ""),
        ("SM1", "failed", ""),
    ]


async def test_a_message_outside_the_window_fails_with_its_reason(twilio: FakeTwilio, inbox: FakeInbox) -> None:
    await twilio.progress("SM1", "undelivered", error_code="63016")
    ((sid, state, detail),) = inbox.progress
    assert (sid, state) == ("SM1", "failed")
    assert "24 hours" in detail
    assert "63016" in detail


def test_it_is_a_channel_with_two_webhooks(inbox: FakeInbox) -> None:
    door: Channel = WhatsApp(Settings(), "AC1", "token", inbox, public_url="https://bot.example")
    assert [(route.method, route.path) for route in door.routes()] == [
        ("POST", PATH),
        ("POST", "/whatsapp/status"),
    ]


def test_without_a_public_address_it_does_not_start(inbox: FakeInbox) -> None:
    with pytest.raises(ConfigError, match=r"server\.public_url"):
        WhatsApp(Settings(), "AC1", "token", inbox, public_url="")


def test_a_sender_must_be_an_address_of_whatsapp(inbox: FakeInbox) -> None:
    with pytest.raises(ConfigError, match=r"whatsapp:\+441632960000"):
        WhatsApp(Settings(sender="+441632960000"), "AC1", "t", inbox, public_url="https://a.b")


def test_without_the_token_nobody_could_be_told_from_twilio_so_it_does_not_start(inbox: FakeInbox) -> None:
    with pytest.raises(ConfigError, match="FRONTDESK_TWILIO_AUTH_TOKEN: is missing"):
        WhatsApp(Settings(), "AC1", "", inbox, public_url="https://bot.example")
