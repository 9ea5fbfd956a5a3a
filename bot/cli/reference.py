"""The generated parts of the documentation: `python -m bot.cli.reference settings|modules` prints them; a test compares."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bot.config import ADDRESS_NAMES, SECRET_NAMES, Config

ROOT = Path(__file__).parents[2]
PACKAGES = ("retrieval", "bot", "channels")
LISTS = {"sources", "questionnaire"}
HEAD = """# Settings

One file, `frontdesk.toml`, is one bot. Every key has a default. Any key outside a list can also be set by the environment
as `FRONTDESK_SECTION__KEY`, for instance `FRONTDESK_RETRIEVAL__MODE=keyword`. Secrets come from the environment only, as
`NAME` or from the file that `NAME_FILE` names. All problems are reported at once, with file, key and what is allowed.
"""


def settings() -> str:
    """docs/settings.md."""
    parts = [HEAD]
    for name, field in Config.model_fields.items():
        model = _model_of(field.annotation)
        if not field.exclude and model:
            parts += _section(name, model, name in LISTS)
    parts += ["## Secrets\n", *(f"- `{name}`" for name in SECRET_NAMES.values()), ""]
    parts += ["## Addresses of outside services\n", *(f"- `{name}`" for name in ADDRESS_NAMES.values())]
    parts += ["- `FRONTDESK_DATA`: the data folder, instead of `./data` beside the file", ""]
    return "\n".join(parts)


def _section(name: str, model: type[BaseModel], many: bool) -> list[str]:
    title = f"[[{name}]]" if many else f"[{name}]"
    lines = [f"## `{title}`\n", (model.__doc__ or "").strip().split("\n")[0] + "\n"]
    rows, below = [], []
    for key, field in model.model_fields.items():
        inner = _model_of(field.annotation)
        if inner:
            below += _section(f"{name}.{key}", inner, False)
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
    """The map of modules: a line each, with the first sentence of its docstring."""
    lines = []
    for package in PACKAGES:
        lines += [f"**{package}/**\n"]
        for file in sorted((ROOT / package).rglob("*.py")):
            sentence = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").split("\n\n")[0]
            if file.name != "__init__.py":
                lines.append(f"- `{file.relative_to(ROOT).as_posix()}` {' '.join(sentence.split())}")
        lines.append("")
    return "\n".join(lines).strip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(settings() if sys.argv[1:] == ["settings"] else modules())
