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
    *(
        ROOT / name
        for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "deploy/README.md", "examples/README.md")
    ),
    *sorted((ROOT / "docs").rglob("*.md")),
    *(page for package in ("retrieval", "bot", "channels") for page in sorted((ROOT / package).rglob("README.md"))),
]


def test_the_settings_page_lists_every_key() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page == reference.settings(), "run: python -m bot.cli.reference settings > docs/settings.md"


def test_the_map_of_modules_is_of_this_tree() -> None:
    page = (ROOT / "docs" / "modules.md").read_text(encoding="utf-8")
    assert page == reference.modules(), "run: python -m bot.cli.reference modules > docs/modules.md"


def test_every_page_can_be_reached_from_the_index() -> None:
    reached, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page in reached or not page.is_relative_to(ROOT):
            continue
        reached.add(page)
        links = re.findall(r"\]\((?!https?://|#|mailto:)([^)#\s]+\.md)", page.read_text(encoding="utf-8"))
        waiting += [page.parent / link for link in links]
    lost = [page.relative_to(ROOT).as_posix() for page in PAGES if page.resolve() not in reached]
    assert not lost, f"no page links to {lost}"


def test_every_room_has_a_readme_of_at_most_a_page() -> None:
    for package in ("retrieval", "bot"):
        for room in (ROOT / package).iterdir():
            if (room / "__init__.py").exists() and room.name != "config":
                words = (room / "README.md").read_text(encoding="utf-8").split()
                assert len(words) <= 700, f"{room.name}: {len(words)} words are more than a page"


def test_the_modules_that_the_docs_name_are_there() -> None:
    for page in PAGES:
        for name in re.findall(
            r"`((?:retrieval|bot|channels|tests|benchmarks|deploy)/[\w/]+\.py)`", page.read_text("utf-8")
        ):
            assert "NAME" in name or (ROOT / name).exists(), f"{page.name} names {name}"


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
