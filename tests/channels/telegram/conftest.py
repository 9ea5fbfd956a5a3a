"""A channel that talks to the stand-in over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from channels.telegram.channel import Telegram
from channels.telegram.settings import TelegramSettings as Settings
from tests.channels.recording import FakeInbox
from tests.standins.fake_telegram import FakeTelegram


@pytest.fixture
async def telegram() -> AsyncIterator[FakeTelegram]:
    async with FakeTelegram() as server:
        yield server


@pytest.fixture
def inbox() -> FakeInbox:
    return FakeInbox()


@pytest.fixture
async def channel(telegram: FakeTelegram, inbox: FakeInbox) -> AsyncIterator[Telegram]:
    """A channel that polls, opened."""
    made = Telegram(Settings(), telegram.token, "", inbox, api=telegram.url)
    async with made.opened():
        yield made
