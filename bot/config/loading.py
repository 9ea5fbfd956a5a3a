"""Reading a bot's configuration: `frontdesk.toml`, overridden by `FRONTDESK_SECTION__KEY`, secrets from the environment only.

All problems are reported at once, each with file, key and what is allowed.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError

from bot.config.settings import ChannelSettings, Config
from bot.errors import ConfigError

PREFIX = "FRONTDESK_"
OWN_SECRETS = {
    "OPENAI_API_KEY": "the model's and the embedding server's key",
    "FRONTDESK_RERANK_API_KEY": "the re-ranker's key",
    "FRONTDESK_OWNER_PASSWORD": "the console's password, instead of the one that is made at the first start",
    "FRONTDESK_SECRET_KEY": "what tokens and cookies are signed with, instead of a key in the data folder",
}
"""Secrets that belong to no channel, and what each is."""
DATA = "FRONTDESK_DATA"
SECTIONS = [name for name, field in Config.model_fields.items() if not field.exclude]


def load(
    path: Path | None,
    environ: Mapping[str, str] | None = None,
    *,
    channels: Mapping[str, type[ChannelSettings]],
    secrets: Collection[str] = (),
    addresses: Collection[str] = (),
) -> Config:
    """The configuration of a file (None: defaults only) and the environment; raises ConfigError with every problem.

    `channels`: the section of each channel; `secrets` and `addresses`: variables of the environment that channels declare.
    """
    environ = {**_dotenv(path.parent if path else Path()), **os.environ} if environ is None else environ
    names = [*OWN_SECRETS, *secrets]
    table, problems = _read(path) if path else ({}, [])
    problems += _override(table, environ, known={*names, *(f"{name}_FILE" for name in names), *addresses, DATA})
    found, secret_problems = _secrets(environ, names)
    problems += secret_problems
    settings, channel_problems = _channels(path, table.pop("channels", {}), channels)
    problems += channel_problems
    for name in set(table) - set(SECTIONS):
        allowed = ", ".join((*SECTIONS, "channels"))
        problems.append(f"{path}: [{name}] is not a section; allowed are {allowed}")
        table.pop(name)
    given = {
        "channels": settings,
        "secrets": found,
        "addresses": {name: environ[name].rstrip("/") for name in addresses if environ.get(name)},
        "data": environ.get(DATA, ""),
        "folder": path.parent if path else Path(),
    }
    try:
        config = Config.model_validate({**table, **given})
    except ValidationError as error:
        raise ConfigError([*problems, *_sentences(path, error)]) from None
    if problems:
        raise ConfigError(problems)
    return config


def _channels(
    path: Path | None, table: object, known: Mapping[str, type[ChannelSettings]]
) -> tuple[dict[str, ChannelSettings], list[str]]:
    """The settings of every known channel, and what is wrong with those that were given."""
    if not isinstance(table, dict):
        return {}, [f"{path or 'environment'}: channels: is a table; write [channels.web]"]
    found: dict[str, ChannelSettings] = {}
    allowed = ", ".join(known)
    problems = [
        f"{path}: [channels.{name}] is not a channel; there are {allowed}" for name in table.keys() - known.keys()
    ]
    for name, section in known.items():
        try:
            found[name] = section.model_validate(table.get(name, {}))
        except ValidationError as error:
            problems += _sentences(path, error, f"channels.{name}")
    return found, problems


def _dotenv(folder: Path) -> dict[str, str]:
    """The NAME=value lines of `.env` beside the file; the real environment wins."""
    try:
        lines = (folder / ".env").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    pairs = [line.strip().removeprefix("export ").partition("=") for line in lines if not line.lstrip().startswith("#")]
    return {name.strip(): value.strip().strip("\"'") for name, sign, value in pairs if sign}


def _read(path: Path) -> tuple[dict[str, Any], list[str]]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")), []
    except FileNotFoundError:
        return {}, [f"{path}: there is no such file; `frontdesk init` writes one"]
    except (OSError, UnicodeDecodeError) as error:
        return {}, [f"{path}: can't be read: {error}"]
    except tomllib.TOMLDecodeError as error:
        return {}, [f"{path}: is not valid TOML: {error}"]


def _override(table: dict[str, Any], environ: Mapping[str, str], known: Collection[str]) -> list[str]:
    """Put FRONTDESK_SECTION__KEY of the environment into the table; what is wrong with those variables."""
    problems = []
    for name, value in environ.items():
        if not name.startswith(PREFIX) or name in known:
            continue
        keys = name.removeprefix(PREFIX).lower().split("__")
        if keys[0] not in (*SECTIONS, "channels") or len(keys) < 2:
            problems.append(f"{name}: is not a setting; write FRONTDESK_SECTION__KEY, as FRONTDESK_RETRIEVAL__MODE")
            continue
        section = table
        for key in keys[:-1]:
            section = section.setdefault(key, {})
            if not isinstance(section, dict):
                problems.append(f"{name}: a list can't be set by the environment, only in the file")
                break
        else:
            section[keys[-1]] = _value(value)
    return problems


def _value(text: str) -> Any:
    if text[:1] in "[{":
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def _secrets(environ: Mapping[str, str], names: Collection[str]) -> tuple[dict[str, SecretStr], list[str]]:
    """The secrets that are set, each by its variable or by the file that NAME_FILE names."""
    found, problems = {}, []
    for name in names:
        if environ.get(name):
            found[name] = SecretStr(environ[name].strip())
        elif file_name := environ.get(f"{name}_FILE"):
            try:
                found[name] = SecretStr(Path(file_name).read_text(encoding="utf-8").strip())
            except OSError as error:
                problems.append(f"{name}_FILE: can't be read: {error.strerror}")
    return found, problems


def _sentences(path: Path | None, error: ValidationError, above: str = "") -> list[str]:
    return [_sentence(path, item, above) for item in error.errors(include_input=False, include_url=False)]


def _sentence(path: Path | None, item: Any, above: str) -> str:
    keys = [str(part) for part in item["loc"] if part not in ("constrained-str", "literal['auto']")]
    where = ".".join([above, *keys] if above else keys)
    text = str(item["msg"]).removeprefix("Value error, ")
    if item["type"] == "extra_forbidden":
        text = "there is no such key"
    return f"{path or 'environment'}: {where}: {text[:1].lower() + text[1:]}"
