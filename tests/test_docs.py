"""The documentation tells the truth: settings, secrets, commands and the map of modules are compared with the code."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from bot.cli import reference
from bot.cli.main import COMMANDS, parser
from bot.config.loading import DATA

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "deploy" / "README.md",
    ROOT / "examples" / "README.md",
]


def test_the_settings_page_lists_every_key() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page == reference.settings(), "run: python -m bot.cli.reference settings > docs/settings.md"


def test_the_readme_has_the_map_of_modules() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- modules -->\n(.*?)<!-- /modules -->", readme, re.S)
    assert found, "README.md needs the map between <!-- modules --> and <!-- /modules -->"
    assert found[1].strip() == reference.modules().strip(), (
        "put the output of `python -m bot.cli.reference modules` there"
    )


def test_env_example_lists_every_secret_and_address() -> None:
    text = (ROOT / "deploy" / "env.example").read_text(encoding="utf-8")
    for name in [*reference.secrets(), *reference.addresses(), DATA]:
        assert f"{name}=" in text, name


def commands() -> dict[str, argparse.ArgumentParser]:
    for action in parser(*COMMANDS)._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise AssertionError("the command line has no subcommands")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_commands_in_the_docs_are_real(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for line in re.findall(r"(?:^|`|bin/)frontdesk ([a-z]+(?: [^`\n#|]*)?)", text, re.M):
        words = [word for word in re.findall(r'"[^"]*"|\S+', line.split("  ")[0]) if word not in ("…", "\\")]
        known = commands()
        assert words[0] in known, f"{page.name}: frontdesk {line}"
        options = {option for action in known[words[0]]._actions for option in action.option_strings}
        for word in words[1:]:
            if word.startswith("-"):
                assert word in options, f"{page.name}: frontdesk {line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_files_that_the_docs_link_to_are_there(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
