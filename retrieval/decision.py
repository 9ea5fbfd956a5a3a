"""What a crawl decided on an address, as data: a kind, and where it helps a target and a detail.

The one list of kinds. Rules compare kinds; words for people are made of them at the edges only (`Decision.in_words`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """What became of an address in a crawl."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    KEPT = "kept"
    """What the index holds stays, though the page isn't what it was."""
    GONE = "gone"
    SKIPPED = "skipped"
    FAILED = "failed"


class Kind(StrEnum):
    """Why an address is in or out. The values stand in the database: add new ones, never rename one without a migration."""

    # In the index, or still there
    ADDED = "added"
    CHANGED = "changed"
    NOT_MODIFIED = "not_modified"
    SAME_CONTENT = "same_content"
    SAME_TEXT = "same_text"
    SITE_FACTS = "site_facts"
    WAITS_FOR_END = "waits_for_end"
    NOT_BELIEVED = "not_believed"
    # Not asked for
    ROBOTS = "robots"
    ROBOTS_UNREADABLE = "robots_unreadable"
    HOST_STOPPED = "host_stopped"
    OTHER_SITE = "other_site"
    OTHER_FOLDER = "other_folder"
    NOT_A_PAGE = "not_a_page"
    NOT_INCLUDED = "not_included"
    EXCLUDED = "excluded"
    TOO_DEEP = "too_deep"
    BEYOND_LIMIT = "beyond_limit"
    CREDENTIALS = "credentials"
    TOO_LONG = "too_long"
    REPEATING = "repeating"
    ENDLESS = "endless"
    # Asked for, and nothing to read came back
    MOVED = "moved"
    MOVED_TOO_OFTEN = "moved_too_often"
    REDIRECT_LOOP = "redirect_loop"
    NOT_TEXT = "not_text"
    NOT_FOUND = "not_found"
    HTTP_ERROR = "http_error"
    UNREACHABLE = "unreachable"
    TOO_SLOW = "too_slow"
    TOO_LARGE = "too_large"
    BAD_ENCODING = "bad_encoding"
    BAD_ADDRESS = "bad_address"
    PRIVATE_ADDRESS = "private_address"
    NOT_READABLE = "not_readable"
    UNKNOWN_FILE = "unknown_file"
    # Read, and left out
    NOINDEX = "noindex"
    CANONICAL = "canonical"
    TWIN = "twin"
    LOGIN = "login"
    SOFT_404 = "soft_404"
    NO_TEXT = "no_text"
    NEEDS_SCRIPT = "needs_script"
    NOT_RENDERED = "not_rendered"
    NOT_CONVERTED = "not_converted"
    MISSING = "missing"
    NOT_BELIEVED_NEW = "not_believed_new"
    OTHER = "other"
    """Carried over from before kinds were kept: the words alone."""


KIND_STATES = {
    Kind.ADDED: State.ADDED,
    Kind.CHANGED: State.CHANGED,
    **dict.fromkeys((Kind.NOT_MODIFIED, Kind.SAME_CONTENT, Kind.SAME_TEXT, Kind.SITE_FACTS), State.UNCHANGED),
    **dict.fromkeys((Kind.WAITS_FOR_END, Kind.NOT_BELIEVED), State.KEPT),
    **dict.fromkeys((Kind.NOT_FOUND, Kind.MISSING), State.GONE),
    **dict.fromkeys((Kind.ROBOTS_UNREADABLE, Kind.HOST_STOPPED), State.FAILED),
    **dict.fromkeys((Kind.REDIRECT_LOOP, Kind.HTTP_ERROR, Kind.UNREACHABLE, Kind.TOO_SLOW), State.FAILED),
    **dict.fromkeys((Kind.TOO_LARGE, Kind.BAD_ENCODING, Kind.BAD_ADDRESS, Kind.PRIVATE_ADDRESS), State.FAILED),
    **dict.fromkeys((Kind.NOT_READABLE, Kind.NO_TEXT, Kind.NEEDS_SCRIPT, Kind.NOT_RENDERED), State.FAILED),
    Kind.NOT_CONVERTED: State.FAILED,
}
"""Each kind's state; SKIPPED for those that aren't named."""

ALIVE_STATES = frozenset((State.ADDED, State.CHANGED, State.UNCHANGED, State.KEPT))
"""States of an address whose document is in the index."""
COST_NOTHING = frozenset(
    (Kind.ROBOTS, Kind.ROBOTS_UNREADABLE, Kind.MOVED, Kind.OTHER_FOLDER, Kind.NOT_INCLUDED, Kind.EXCLUDED)
)
"""Kinds that cost nothing of a crawl's `max_pages`: no page was asked for, or it is counted where it leads to."""
STANDS_ELSEWHERE = frozenset((Kind.TWIN, Kind.CANONICAL))
"""Kinds of addresses that are left out since their target holds the text."""

KIND_WORDS = {
    Kind.ADDED: "{detail}",
    Kind.CHANGED: "{detail}",
    Kind.NOT_MODIFIED: "the server says so",
    Kind.SAME_CONTENT: "the same content",
    Kind.SAME_TEXT: "the same text",
    Kind.SITE_FACTS: "what every page tells",
    Kind.WAITS_FOR_END: "waits for the end of the crawl: little of its text is left",
    Kind.NOT_BELIEVED: "not believed: {detail}",
    Kind.NOT_BELIEVED_NEW: "not believed: {detail}",
    Kind.ROBOTS: "robots.txt disallows it",
    Kind.ROBOTS_UNREADABLE: "robots.txt can't be read ({detail})",
    Kind.HOST_STOPPED: "not asked: the host {detail}",
    Kind.OTHER_SITE: "another site",
    Kind.OTHER_FOLDER: "outside {target}",
    Kind.NOT_A_PAGE: "not a page",
    Kind.NOT_INCLUDED: "matches no include pattern",
    Kind.EXCLUDED: "matches an exclude pattern",
    Kind.TOO_DEEP: "more than max_depth = {detail} clicks away",
    Kind.BEYOND_LIMIT: "more than max_pages = {detail}",
    Kind.CREDENTIALS: "holds a user name or password",
    Kind.TOO_LONG: "is longer than {detail} characters",
    Kind.REPEATING: "its path repeats itself",
    Kind.ENDLESS: "looks endless: more than {detail} addresses like {target}",
    Kind.MOVED: "redirects to {target}",
    Kind.MOVED_TOO_OFTEN: "redirects more than {detail} times",
    Kind.NOINDEX: "the page asks not to be indexed",
    Kind.CANONICAL: "its canonical address is {target}",
    Kind.TWIN: "the same text as {target}",
    Kind.LOGIN: "asks for a login",
    Kind.MISSING: "isn't there any more",
    Kind.NO_TEXT: "holds no text",
    Kind.NEEDS_SCRIPT: "needs JavaScript: without it the page holds no text",
    Kind.UNKNOWN_FILE: "is not a kind of file that can be read",
}
"""A kind as a clause about its address; the detail alone for those that aren't named."""

DETAIL_WORDS = {Kind.MOVED: ": {detail}", Kind.NEEDS_SCRIPT: " (to render it: {detail})"}
"""What a detail adds, for kinds that may have none."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A kind, the address, path or pattern that it points to, and what else a person should know."""

    kind: Kind
    target: str = ""
    detail: str = ""

    @property
    def state(self) -> State:
        """What became of the address."""
        return KIND_STATES.get(self.kind, State.SKIPPED)

    @property
    def is_alive(self) -> bool:
        """Whether the address's document is in the index."""
        return self.state in ALIVE_STATES

    @property
    def in_words(self) -> str:
        """The decision as a clause for a person; empty when the state says it all."""
        words = KIND_WORDS.get(self.kind, "{detail}").format(target=self.target, detail=self.detail)
        return words + (
            DETAIL_WORDS[self.kind].format(detail=self.detail) if self.detail and self.kind in DETAIL_WORDS else ""
        )


def kinds_of(*states: State) -> Collection[Kind]:
    """Every kind of these states, for instance for a question to the database."""
    return [kind for kind in Kind if KIND_STATES.get(kind, State.SKIPPED) in states]
