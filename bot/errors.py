"""What can go wrong in the application, as the caller decides on it.

FrontdeskError            a sentence for the person who runs Frontdesk; never shown to a visitor
├── ConfigError           the configuration is wrong: every problem, one line each
├── ModelError            the model could not answer (permanent, retry_after)
└── SendError             a channel could not deliver a part (permanent, retry_after, moved_to)
"""

from __future__ import annotations

from collections.abc import Sequence


class FrontdeskError(Exception):
    """A sentence that says what, where and what to do."""


class ConfigError(FrontdeskError):
    """All problems of a configuration at once."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


class ModelError(FrontdeskError):
    """The model failed; `permanent` means that the same request will fail again, `retry_after` is in seconds."""

    def __init__(self, text: str, *, permanent: bool = False, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.permanent = permanent
        self.retry_after = retry_after


class SendError(FrontdeskError):
    """A delivery failed.

    `permanent`: never try again. `retry_after`: seconds that the platform asks for. `moved_to`: the chat's new id.
    """

    def __init__(
        self,
        text: str,
        *,
        permanent: bool = False,
        retry_after: float | None = None,
        moved_to: str | None = None,
    ) -> None:
        super().__init__(text)
        self.permanent = permanent
        self.retry_after = retry_after
        self.moved_to = moved_to
