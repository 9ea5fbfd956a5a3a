"""A part is created at Twilio, and every error says what to do next."""

from __future__ import annotations

import asyncio
import logging

import pytest

from bot.errors import SendError
from bot.messages import Reply, Start
from channels.whatsapp.channel import WhatsApp
from channels.whatsapp.settings import WhatsAppSettings as Settings
from tests.channels.recording import FakeInbox, asked
from tests.standins.fake_twilio import BUSINESS, VISITOR, FakeTwilio

CHAT = f"{VISITOR}|{BUSINESS}"


async def refused(channel: WhatsApp) -> SendError:
    with pytest.raises(SendError) as caught:
        await channel.send(asked(CHAT), {"body": "my secret answer"})
    return caught.value


async def test_a_part_goes_back_where_the_message_came_from(channel: WhatsApp, twilio: FakeTwilio) -> None:
    sid = await channel.send(asked(CHAT), {"body": "Wir öffnen um neun 😀"})
    assert twilio.sent == [
        {
            "To": VISITOR,
            "From": BUSINESS,
            "Body": "Wir öffnen um neun 😀",
            "StatusCallback": "https://bot.example/whatsapp/status",
            "sid": sid,
        }
    ]


async def test_an_address_without_a_phone_number_is_answered_as_it_is(channel: WhatsApp, twilio: FakeTwilio) -> None:
    await channel.send(asked(f"whatsapp:US.13491208655302741918|{BUSINESS}"), {"body": "Hello"})
    assert twilio.sent[0]["To"] == "whatsapp:US.13491208655302741918"


async def test_a_sender_of_the_owner_comes_first(twilio: FakeTwilio, inbox: FakeInbox) -> None:
    settings = Settings(sender="whatsapp:+441632960999")
    made = WhatsApp(
        settings,
        twilio.account_sid,
        twilio.auth_token,
        inbox,
        public_url="https://bot.example",
        api=twilio.url,
    )
    async with made.opened():
        await made.send(asked(CHAT), {"body": "Hello"})
    assert twilio.sent[0]["From"] == "whatsapp:+441632960999"


async def test_the_parts_of_a_long_reply_are_taken_in_order(channel: WhatsApp, twilio: FakeTwilio) -> None:
    text = " ".join(f"word{number}" for number in range(900))
    start = asyncio.get_running_loop().time()
    for part in channel.render(Reply(text), asked()):
        await channel.send(asked(CHAT), part)
    assert " ".join(item["Body"] for item in twilio.sent) == text
    assert len(twilio.sent) > 3
    assert asyncio.get_running_loop().time() - start >= channel.between_parts * (len(twilio.sent) - 1)


@pytest.mark.parametrize(
    ("status", "code", "permanent"),
    [
        (429, 20429, False),
        (500, 20500, False),
        (503, 0, False),
        (400, 63016, True),
        (400, 21610, True),
        (400, 63024, True),
        (400, 21211, True),
        (400, 21617, True),
        (400, 99999, True),
        (404, 20404, True),
    ],
)
async def test_errors_are_told_apart(
    channel: WhatsApp, twilio: FakeTwilio, status: int, code: int, permanent: bool
) -> None:
    twilio.fail(status, code, "my secret answer was refused")
    error = await refused(channel)
    assert error.permanent is permanent
    assert not permanent or str(code) in str(error)
    assert twilio.attempts == 1


async def test_a_page_of_html_is_tried_again_later(channel: WhatsApp, twilio: FakeTwilio) -> None:
    twilio.fail(502, html=True)
    assert not (await refused(channel)).permanent


async def test_a_missing_answer_is_never_followed_by_a_second_message(channel: WhatsApp, twilio: FakeTwilio) -> None:
    channel.send_seconds = 0.1
    twilio.fail(201, seconds=0.5, taken=True)
    twilio.fail(201, reset=True, taken=True)
    for _ in range(2):
        error = await refused(channel)
        assert error.permanent
        assert "unknown" in str(error)
    assert twilio.attempts == 2


async def test_a_twilio_that_can_not_be_reached_is_tried_again_later(inbox: FakeInbox) -> None:
    made = WhatsApp(Settings(), "AC1", "token", inbox, public_url="https://bot.example", api="http://127.0.0.1:9")
    async with made.opened():
        assert not (await refused(made)).permanent


async def test_wrong_credentials_are_said_without_being_shown(
    twilio: FakeTwilio, inbox: FakeInbox, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = WhatsApp(
        Settings(), twilio.account_sid, "wrong-token", inbox, public_url="https://bot.example", api=twilio.url
    )
    async with made.opened():
        error = await refused(made)
    told = f"{error} {error.__cause__} {caplog.text}"
    assert "FRONTDESK_TWILIO_AUTH_TOKEN" in told
    for secret in ("wrong-token", "my secret answer", VISITOR):
        assert secret not in told


async def test_nothing_is_shown_before_the_reply(channel: WhatsApp, twilio: FakeTwilio) -> None:
    await channel.show(CHAT, Start(("SM1",)))
    assert twilio.attempts == 0
