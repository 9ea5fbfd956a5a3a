"""The web channel: a page to try the chat, a widget for any site, and the events that both listen to."""

from __future__ import annotations

from bot.messages import Channel, Declaration, Inbox, Setup
from channels.web.settings import WebSettings, check


def _make(setup: Setup, inbox: Inbox) -> Channel:
    from channels.web.channel import Web

    return Web(
        setup.settings,
        setup.key,
        inbox,
        setup.welcome,
        sessions_per_minute=setup.config.limits.sessions_per_minute,
        trusted_proxies=setup.config.server.trusted_proxies,
    )


DECLARATION = Declaration("web", WebSettings, lambda setup: bool(setup.settings.enabled), _make, check)
