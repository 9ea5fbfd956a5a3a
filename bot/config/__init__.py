"""One bot's configuration: its sections (`settings`), and how they are read (`loading`)."""

from bot.config.loading import load
from bot.config.settings import ChannelSettings, Config, Settings, setting

__all__ = ["ChannelSettings", "Config", "Settings", "load", "setting"]
