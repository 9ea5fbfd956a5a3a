"""The web channel: a page to try the chat, a widget for any site, and the events that both listen to."""

from channels.web.channel import Web

__all__ = ["Web"]
