"""The section [channels.web], and how doctor looks at it."""

from __future__ import annotations

from bot.config import ChannelSettings, setting
from bot.messages import Check, Setup


class WebSettings(ChannelSettings):
    """The web channel."""

    enabled: bool = setting(True, "Serve the web chat and the widget.")
    origins: list[str] = setting(
        ["*"], "Sites that may embed the widget, as scheme://host[:port]; * allows every site."
    )


async def check(setup: Setup) -> list[Check]:
    """Whether it is on."""
    return [Check("channel web", True, "enabled" if setup.settings.enabled else "off")]
