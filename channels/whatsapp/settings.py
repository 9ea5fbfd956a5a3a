"""The section [channels.whatsapp], its variables, and how doctor looks at it."""

from __future__ import annotations

from typing import Literal

from bot.config import ChannelSettings, setting
from bot.messages import Check, Setup

ACCOUNT = "FRONTDESK_TWILIO_ACCOUNT_SID"
TOKEN = "FRONTDESK_TWILIO_AUTH_TOKEN"  # noqa: S105 — a variable's name
API = "FRONTDESK_TWILIO_API"


class WhatsAppSettings(ChannelSettings):
    """The WhatsApp channel; needs Twilio's credentials."""

    enabled: bool = setting(True, "Run the channel when its credentials are set.")
    provider: Literal["twilio"] = setting("twilio", "Who connects to WhatsApp.")
    sender: str = setting("", "The sender, as whatsapp:+441632960000. Empty: the number that was written to.")
    burst_seconds: float = setting(0.6, "Seconds to wait for the rest of several short messages.", ge=0, le=10)


def is_set_up(setup: Setup) -> bool:
    """Whether the channel is on and has an account."""
    return bool(setup.settings.enabled and setup.config.secret(ACCOUNT))


async def check(setup: Setup) -> list[Check]:
    """What is missing, or where Twilio's webhook must point; nothing without an account."""
    if not setup.config.secret(ACCOUNT):
        return []
    ready = bool(setup.config.server.public_url and setup.config.secret(TOKEN))
    point = f"point Twilio's webhook at {setup.config.server.public_url}/whatsapp/webhook"
    return [Check("channel whatsapp", ready, point if ready else f"set server.public_url and {TOKEN}")]
