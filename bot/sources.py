"""The configured sources as the library crawls them, and how often."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from bot.config import Config
from bot.config import Source as Setting
from bot.demo import PREFIX
from retrieval.crawl import Limits
from retrieval.ingest import Source

UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def configured(config: Config) -> list[Source]:
    """Every source of the file."""
    return [as_source(config, setting) for setting in config.sources]


def as_source(config: Config, setting: Setting) -> Source:
    """One source with its limits, and the document settings of the file."""
    local = not setting.url
    place = str((config.folder / setting.path).resolve()) if local else setting.url
    return Source(
        place=place,
        kind="file" if local else "site",
        knowledge=setting.knowledge,
        every=setting.every,
        limits=Limits(
            max_pages=setting.max_pages,
            include=setting.include,
            exclude=setting.exclude,
            respect_robots=setting.respect_robots,
            delay=setting.delay,
            concurrency=setting.concurrency,
            max_depth=setting.max_depth,
        ),
        headers=setting.headers,
        allow_private=setting.allow_private,
        render=setting.render,
        chromium=setting.chromium,
        respect_noindex=setting.respect_noindex,
        images=setting.import_images,
        source_url=setting.insert_source_url,
        chunk_tokens=config.split.chunk_tokens,
        overlap=config.split.overlap,
    )


def demo(config: Config, base: str) -> Source:
    """The example business's site, as this server serves it."""
    return as_source(config, Setting(url=f"{base}{PREFIX}/", allow_private=True, every="1d"))


def exists(source: Source) -> bool:
    """Whether a local source is there."""
    return source.kind == "site" or Path(source.place).exists()


def interval(every: str) -> timedelta:
    """ "30m", "6h" or "1d" as a time span."""
    return timedelta(**{UNITS[every[-1]]: int(every[:-1])})
