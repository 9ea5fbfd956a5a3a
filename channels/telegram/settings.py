"""The section [channels.telegram], its variables, and how doctor looks at the webhook."""

from __future__ import annotations

from typing import Literal

import aiohttp

from bot.config import ChannelSettings, setting
from bot.messages import Check, Setup

TOKEN = "FRONTDESK_TELEGRAM_TOKEN"  # noqa: S105 — a variable's name
SECRET = "FRONTDESK_TELEGRAM_SECRET"  # noqa: S105 — a variable's name
API = "FRONTDESK_TELEGRAM_API"
OFFICIAL = "https://api.telegram.org"
PROBE_SECONDS = 8


class TelegramSettings(ChannelSettings):
    """The Telegram channel; needs FRONTDESK_TELEGRAM_TOKEN."""

    enabled: bool = setting(True, "Run the channel when its token is set.")
    mode: Literal["polling", "webhook"] = setting(
        "polling", "`polling` needs no public address; `webhook` needs server.public_url."
    )
    stream: bool = setting(True, "Show the answer while it is written, by editing the message.")
    burst_seconds: float = setting(0.6, "Seconds to wait for the rest of several short messages.", ge=0, le=10)


def is_set_up(setup: Setup) -> bool:
    """Whether the channel is on and has its token."""
    return bool(setup.settings.enabled and setup.config.secret(TOKEN))


async def check(setup: Setup) -> list[Check]:
    """Ask the Bot API which webhook is set; nothing without a token."""
    if not setup.config.secret(TOKEN):
        return []
    address = f"{setup.config.addresses.get(API, OFFICIAL)}/bot{setup.config.secret(TOKEN)}/getWebhookInfo"
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=PROBE_SECONDS)) as session,
            session.get(address) as answer,
        ):
            record = await answer.json(content_type=None)
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        return [Check("channel telegram", False, f"the Bot API can't be reached ({type(error).__name__})")]
    if not isinstance(record, dict) or not record.get("ok"):
        return [Check("channel telegram", False, f"the Bot API refuses {TOKEN}; get a new one from @BotFather")]
    return [_judged(setup, str(record["result"].get("url") or ""))]


def _judged(setup: Setup, hook: str) -> Check:
    """What the webhook that is set means for the configured mode."""
    if setup.settings.mode == "polling":
        elsewhere = "a webhook is set elsewhere; polling removes it at the next run"
        return Check("channel telegram", not hook, elsewhere if hook else "polling")
    wanted = f"{setup.config.server.public_url}/telegram/webhook"
    text = f"webhook {hook or 'not set'}; it is set at the next run to {wanted}"
    return Check("channel telegram", hook == wanted, text)
