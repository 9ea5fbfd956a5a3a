"""Raises the version: `python deploy/release.py 0.2.0` sets it in pyproject.toml and dates the changelog's section."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION_LINE = re.compile(r'^version = "(\d+)\.(\d+)\.(\d+)"$', re.M)
UNRELEASED = "## Unreleased\n"


def raised(pyproject: str, changelog: str, version: str, day: str) -> tuple[str, str]:
    """Both files with the new version; ValueError says what is wrong with it or with them."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ValueError(f"{version}: write a version as 1.2.3")
    before = VERSION_LINE.search(pyproject)
    if before is None:
        raise ValueError('pyproject.toml: has no line version = "1.2.3"')
    if tuple(map(int, version.split("."))) <= tuple(map(int, before.groups())):
        raise ValueError(f"{version}: is not above {'.'.join(before.groups())}")
    head, found, rest = changelog.partition(UNRELEASED)
    if not found or not rest.partition("\n## ")[0].strip():
        raise ValueError("CHANGELOG.md: has nothing under ## Unreleased")
    dated = f"{head}{UNRELEASED}\n## {version} – {day}\n{rest}"
    return VERSION_LINE.sub(f'version = "{version}"', pyproject, count=1), dated


def main(version: str) -> int:
    """Write both files; exit status 1 with a sentence when that can't be."""
    paths = (ROOT / "pyproject.toml", ROOT / "CHANGELOG.md")
    today = datetime.now(UTC).date().isoformat()
    try:
        texts = raised(*(path.read_text(encoding="utf-8") for path in paths), version, today)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"version {version}: commit, then tag v{version} and push the tag\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1] if len(sys.argv) == 2 else ""))
