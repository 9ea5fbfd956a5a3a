"""A channel behind a loopback server, and the stand-in that signs for its public address."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from aiohttp.test_utils import unused_port

from channels.whatsapp.channel import WhatsApp
from channels.whatsapp.settings import WhatsAppSettings as Settings
from tests.channels.recording import FakeInbox, served
from tests.standins.fake_twilio import FakeTwilio


@pytest.fixture
async def twilio() -> AsyncIterator[FakeTwilio]:
    async with FakeTwilio(local=f"http://127.0.0.1:{unused_port()}") as server:
        yield server


@pytest.fixture
def inbox() -> FakeInbox:
    return FakeInbox()


@pytest.fixture
async def channel(twilio: FakeTwilio, inbox: FakeInbox) -> AsyncIterator[WhatsApp]:
    """A channel, opened; served at `twilio.local`, while signatures are for `twilio.public`."""
    made = WhatsApp(
        Settings(),
        twilio.account_sid,
        twilio.auth_token,
        inbox,
        public_url=twilio.public + "/",
        api=twilio.url,
    )
    made.between_parts = 0.05
    port = int(twilio.local.rpartition(":")[2])
    async with served(made.routes(), port), made.opened():
        yield made
