"""The configured sources as the library crawls them, how often, and how a crawl ended in a line."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from bot.config import Config
from bot.config.settings import SourceSettings
from bot.run.demo import SITE_PATH
from retrieval.crawl.walk import Limits
from retrieval.ingest.ingest import Source
from retrieval.ingest.journal import Report
from retrieval.ingest.situate import Prompts
from retrieval.split.splitting import Splitting

SUBJECTS_FROM = 0.8
"""The share of the context's tokens above which a page holds more than one subject."""
TIME_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def configured(config: Config) -> list[Source]:
    """Every source of the file."""
    return [as_source(config, setting) for setting in config.sources]


def as_source(config: Config, setting: SourceSettings) -> Source:
    """One source with its limits, and the document settings of the file."""
    local = not setting.url
    return Source(
        id=str((config.folder / setting.path).resolve()) if local else setting.url,
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
        splitting=splitting_of(config),
    )


def splitting_of(config: Config) -> Splitting:
    """How documents become chunks by the file; without a model there is none that could write pages anew."""
    settings = config.split
    strategy = settings.strategy if config.model.provider != "none" or settings.strategy != "subjects" else "headings"
    return Splitting(
        strategy,
        settings.chunk_tokens,
        settings.overlap,
        settings.child_words,
        settings.parent_words,
        subjects_from=int(SUBJECTS_FROM * config.retrieval.max_context_tokens),
    )


def prompts_of(config: Config) -> Prompts | None:
    """How contexts are asked for by the file; None: they aren't wanted."""
    settings = config.split
    return Prompts(settings.summary_prompt, settings.context_prompt) if settings.contextual else None


def demo(config: Config, base: str) -> Source:
    """The example business's site, as this server serves it."""
    return as_source(config, SourceSettings(url=f"{base}{SITE_PATH}/", allow_private=True, every="1d"))


def exists(source: Source) -> bool:
    """Whether a local source is there."""
    return source.kind == "site" or Path(source.id).exists()


def interval(every: str) -> timedelta:
    """ "30m", "6h" or "1d" as a time span."""
    return timedelta(**{TIME_UNITS[every[-1]]: int(every[:-1])})


def summary(report: Report) -> str:
    """A crawl's report in one line."""
    counts = ", ".join(f"{count} {state}" for state, count in sorted(report.counts.items())) or "nothing found"
    note = f"; {report.note}" if report.note else ""
    return f"{report.outcome}: {counts}{note}"
