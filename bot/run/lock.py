"""One process a data folder: two would answer each other's messages."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import FrontdeskError


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Keep the folder for this process alone; raises FrontdeskError when another one does. The system lets go when we end."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise FrontdeskError(
                f"{folder}: another Frontdesk is running on this data; stop it, or choose --data"
            ) from None
        yield
