"""The walls hold: lint refuses what they forbid, seen in a copy of the packages with one bad line planted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("bot", "channels", "retrieval")
PLANTED = {
    "a channel that knows the engine": ("channels/terminal.py", "from bot.answer.engine import Engine"),
    "a channel that knows another": ("channels/whatsapp/forms.py", "from channels.web import live"),
    "a channel that searches by itself": ("channels/web/live.py", "from retrieval.knowledge import Knowledge"),
    "a library that knows the application": ("retrieval/split/blocks.py", "from bot.config import Config"),
    "a room that looks up": ("bot/answer/session.py", "from bot.desk.inbox import InboxStore"),
    "a room that looks across": ("retrieval/crawl/pace.py", "from retrieval.convert.kind import KINDS"),
    "a circle": ("retrieval/split/blocks.py", "from retrieval.split.sections import Section"),
    "a module without a room": ("retrieval/helpers.py", "X = 1"),
    "a package without a room": ("bot/utils/__init__.py", "X = 1"),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages with their contracts, elsewhere."""
    folder = tmp_path_factory.mktemp("copy")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.npz", "*.gz"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the contracts in a folder."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    return subprocess.run(
        [*command, "--no-cache"], cwd=folder, capture_output=True, text=True, timeout=100, check=False
    )


def test_the_packages_keep_their_contracts(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("what", PLANTED)
def test_what_the_walls_forbid_is_refused(copy: Path, what: str) -> None:
    path, line = PLANTED[what]
    file = copy / path
    before = file.read_text(encoding="utf-8") if file.exists() else None
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{before or ''}\n{line}\n", encoding="utf-8")
    try:
        done = lint(copy)
    finally:
        if before is None:
            file.unlink()
        else:
            file.write_text(before, encoding="utf-8")
        if not any(file.parent.iterdir()):
            file.parent.rmdir()
    assert done.returncode == 1, f"{what}: {path} with {line!r} passes"
