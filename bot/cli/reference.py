"""The generated parts of the documentation: `python -m bot.cli.reference settings|modules` prints them; a test compares."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bot import app
from bot.config import Config
from bot.config.loading import DATA, OWN_SECRETS

ROOT = Path(__file__).parents[2]
PACKAGES = ("retrieval", "bot", "channels")
REPEATED_SECTIONS = {"sources", "questionnaire"}
SETTINGS_HEAD = """# Settings

One file, `frontdesk.toml`, is one bot. Every key has a default. Any key outside a list can also be set by the environment
as `FRONTDESK_SECTION__KEY`, for instance `FRONTDESK_RETRIEVAL__MODE=keyword`. Secrets come from the environment only, as
`NAME` or from the file that `NAME_FILE` names. All problems are reported at once, with file, key and what is allowed.
"""


def settings(channels: Mapping[str, str] = app.CHANNELS) -> str:
    """docs/settings.md."""
    parts = [SETTINGS_HEAD]
    for name, field in Config.model_fields.items():
        model = _model_of(field.annotation)
        if not field.exclude and model:
            parts += _section(name, model, many=name in REPEATED_SECTIONS)
    for channel in app.declarations(channels):
        parts += _section(f"channels.{channel.name}", channel.settings, many=False)
    parts += ["## Secrets\n", *(f"- `{name}`: {text}" for name, text in secrets(channels).items()), ""]
    parts += [
        "## Addresses of outside services\n",
        *(f"- `{name}`: {text}" for name, text in addresses(channels).items()),
    ]
    parts += [f"- `{DATA}`: the data folder, instead of `./data` beside the file", ""]
    return "\n".join(parts)


def secrets(channels: Mapping[str, str] = app.CHANNELS) -> dict[str, str]:
    """Every secret's variable, and what it is."""
    return {
        **OWN_SECRETS,
        **{name: text for channel in app.declarations(channels) for name, text in channel.secrets.items()},
    }


def addresses(channels: Mapping[str, str] = app.CHANNELS) -> dict[str, str]:
    """Every outside service's variable, and what it is."""
    return {name: text for channel in app.declarations(channels) for name, text in channel.addresses.items()}


def _section(name: str, model: type[BaseModel], *, many: bool) -> list[str]:
    title = f"[[{name}]]" if many else f"[{name}]"
    lines = [f"## `{title}`\n", (model.__doc__ or "").strip().split("\n")[0] + "\n"]
    rows, below = [], []
    for key, field in model.model_fields.items():
        inner = _model_of(field.annotation)
        if inner:
            below += _section(f"{name}.{key}", inner, many=False)
        else:
            rows.append(f"| `{key}` | {_default(field)} | {_kind(field.annotation)} | {field.description} |")
    table = ["| key | default | kind | what it does |", "|---|---|---|---|", *rows, ""] if rows else []
    return [*lines, *table, *below]


def _model_of(annotation: Any) -> type[BaseModel] | None:
    for item in (annotation, *get_args(annotation)):
        if isinstance(item, type) and issubclass(item, BaseModel):
            return item
    return None


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.default
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def _kind(annotation: Any) -> str:
    choices = [item for item in get_args(annotation) if isinstance(item, str)]
    if choices:
        return " or ".join(f'`"{choice}"`' for choice in choices)
    text = str(annotation) if get_args(annotation) else annotation.__name__
    return text.replace("typing.", "").replace("|", "or")


def modules() -> str:
    """docs/modules.md: a line a module, with the first sentence of its docstring, room by room."""
    lines = ["# The map of modules", ""]
    for package in PACKAGES:
        room = Path()
        for file in sorted((ROOT / package).rglob("*.py"), key=lambda file: (file.parent, file)):
            sentence = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").split("\n\n")[0]
            if file.name == "__init__.py":
                continue
            if file.parent != room:
                room = file.parent
                lines += ["", f"## {room.relative_to(ROOT).as_posix()}/", ""]
            lines.append(f"- `{file.name}` {' '.join(sentence.split())}")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


if __name__ == "__main__":
    sys.stdout.write(settings() if sys.argv[1:] == ["settings"] else modules())
