"""`frontdesk init`: a configuration with comments, and the place for secrets. Nothing is ever overwritten."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

from bot.cli.output import put
from bot.errors import FrontdeskError

CONFIG_TEMPLATE = """# Frontdesk: one file is one bot. Every key is explained in docs/settings.md.

[bot]
name = {name}
# Where a visitor finds a person when the pages hold no answer.
contact = {contact}
starters = []

[[sources]]
{source}
every = "1d"
max_pages = 500

[model]
# "none" quotes the best sentences of your pages. "openai" writes answers with any OpenAI-compatible server;
# its key is OPENAI_API_KEY in .env.
provider = "none"
name = "gpt-5-mini"

[channels.web]
# Sites that may embed the widget.
origins = {origins}

[server]
host = "127.0.0.1"
port = 8080
# The address that Telegram, WhatsApp and visitors reach, for instance "https://bot.example".
public_url = ""
"""

ENV_TEMPLATE = """# Secrets for Frontdesk, read from here when it lies beside frontdesk.toml; the real environment wins.
# Keep this file out of version control. Uncomment what you use.

# OPENAI_API_KEY=
# FRONTDESK_TELEGRAM_TOKEN=
# FRONTDESK_TELEGRAM_SECRET=
# FRONTDESK_TWILIO_ACCOUNT_SID=
# FRONTDESK_TWILIO_AUTH_TOKEN=
# FRONTDESK_OWNER_PASSWORD=
# FRONTDESK_SECRET_KEY=
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="DIR")
    parser.add_argument("--url", default="", help="the website to answer from")
    parser.add_argument("--name", default="", help="the business's name")
    parser.add_argument("--contact", default="", help="where a visitor finds a person: a phone, e-mail or page")


async def run(arguments: argparse.Namespace) -> int:
    """Write a configuration; what isn't given by a flag is asked when somebody is there to answer."""
    url = _given(arguments.url, "The website to answer from (https://…): ")
    name = _given(arguments.name, "The business's name: ")
    contact = _given(arguments.contact, "Where a visitor finds a person (phone, e-mail or page; may be empty): ")
    for path in write_files(arguments.folder, url, name, contact):
        put(f"wrote {path}")
    put("next: frontdesk doctor, then frontdesk run")
    return 0


def _given(value: str, question: str) -> str:
    if value or not sys.stdin.isatty():
        return value
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def write_files(folder: Path, url: str, name: str, contact: str) -> list[Path]:
    """Write frontdesk.toml and .env; raises FrontdeskError when one is already there or the address is none."""
    parts = urlsplit(url)
    if url and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise FrontdeskError(f"{url}: is not a web address; write it as https://your.site")
    files = {folder / "frontdesk.toml": _config(url, name, contact), folder / ".env": ENV_TEMPLATE}
    there = [str(path) for path in files if path.exists()]
    if there:
        raise FrontdeskError(f"{', '.join(there)}: already there and left as it is; remove it or choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        path.touch(mode=0o600 if path.name == ".env" else 0o644)
        path.write_text(text, encoding="utf-8")
    return list(files)


def _config(url: str, name: str, contact: str) -> str:
    host = urlsplit(url).hostname or ""
    origin = f"{urlsplit(url).scheme}://{urlsplit(url).netloc}" if url else "*"
    source = (
        f"url = {_text(url)}" if url else 'path = "documents"   # a folder of your own; or: url = "https://your.site/"'
    )
    values = {
        "name": _text(name or host or "Our help desk"),
        "contact": _text(contact),
        "source": source,
        "origins": json.dumps([origin]),
    }
    return CONFIG_TEMPLATE.format(**values)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
