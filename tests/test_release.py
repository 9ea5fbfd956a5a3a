"""Raising the version: both files at once, and no step back."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PYPROJECT = '[project]\nname = "frontdesk"\nversion = "0.9.1"\n'
CHANGELOG = "# Changelog\n\n## Unreleased\n\n### Added\n- A door.\n\n## 0.9.1 – 2026-01-01\n"


@pytest.fixture(scope="module")
def release() -> ModuleType:
    """deploy/release.py, which is a script and no package."""
    spec = importlib.util.spec_from_file_location("release", ROOT / "deploy" / "release.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_version_is_raised_and_the_changelog_dated(release: ModuleType) -> None:
    pyproject, changelog = release.raised(PYPROJECT, CHANGELOG, "0.10.0", "2026-02-03")
    assert 'version = "0.10.0"' in pyproject
    assert "## Unreleased\n\n## 0.10.0 – 2026-02-03\n\n### Added" in changelog


@pytest.mark.parametrize(
    ("version", "changelog", "why"),
    [
        ("0.9", CHANGELOG, "write a version as"),
        ("0.9.1", CHANGELOG, "is not above 0.9.1"),
        ("0.8.9", CHANGELOG, "is not above 0.9.1"),
        ("1.0.0", "# Changelog\n\n## Unreleased\n\n## 0.9.1\n\n- Old.\n", "nothing under"),
    ],
)
def test_a_version_that_is_none_or_has_nothing_new_is_refused(
    release: ModuleType, version: str, changelog: str, why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        release.raised(PYPROJECT, changelog, version, "2026-02-03")


def test_the_files_here_could_be_released(release: ModuleType) -> None:
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("pyproject.toml", "CHANGELOG.md")]
    pyproject, _ = release.raised(*texts, "999.0.0", "2026-02-03")
    assert pyproject != texts[0]
