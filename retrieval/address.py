"""Addresses of pages: one spelling for each, and which of them belong to a source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from w3lib.url import canonicalize_url

from retrieval.decision import Decision, Kind

TRACKING_PARAMETER = re.compile(
    r"^(utm_\w+|(?:mtm|pk|piwik|matomo|hsa|trk|at_?internet|sc)_\w+|gclid|gclsrc|dclid|gbraid|wbraid|gad_\w+|fbclid|fb_\w+_id|"
    r"msclkid|mc_[ce]id|_gl|_ga\w*|srsltid|igshid|igsh|yclid|ysclid|_openstat|ttclid|twclid|li_fat_id|epik|mkt_tok|"
    r"_hsenc|_hsmi|__hs\w+|hsctatracking|s_kwcid|ef_id|vero_\w+|oly_\w+_id|rb_clickid|wickedid|irclickid|_branch_\w+|"
    r"ref|ref_|ref_src|ref_url|referer|referrer|cmpid|spm|"
    r"phpsessid|jsessionid|aspsessionid\w*|asp\.net_sessionid|sessionid|session_id|sessid|cfid|cftoken|zenid|oscsid)$",
    re.I,
)
MAYBE_SESSION_PARAMETER = re.compile(r"^(sid|s|session|sess|token)$", re.I)
SESSION_VALUE = re.compile(r"^(?=.*\d)[A-Za-z0-9_-]{16,}$")
"""What a session id looks like, where its name alone could mean a section or a search."""
PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid|sessionid)=[^/;?]*|/\([A-Z]\([A-Za-z0-9_-]+\)\)(?=/)", re.I)
NOT_PAGES = re.compile(
    r"\.(jpe?g|png|gif|webp|avif|bmp|svg|ico|css|js|mjs|json|xml|rss|atom|woff2?|ttf|otf|eot|mp[34]|m4[av]|webm|mov|avi|"
    r"wav|ogg|zip|gz|tgz|rar|7z|exe|dmg|apk|ics|vcf)$",
    re.I,
)
DEFAULT_PORTS = {"http": 80, "https": 443}
ROOTED_PATH = re.compile(r"/(?!/)[\w~%/?&=+,;:@!-]*$")
"""A path from the root without dots: the origin before it is the whole address."""
PLAIN_ADDRESS = re.compile(r"https?://[a-z0-9.-]+(/[\w~%-]+)*/?$")
"""An address that joining would leave as it is, which is most of them."""


@lru_cache(maxsize=32768)
def normalised(url: str) -> str:
    """The address's one spelling; ValueError when it is none.

    Lower-case host without default port or user name; dot segments and double slashes resolved; percent-encoding as
    it must be and no more; parameters sorted, without those that only track or carry a session; no fragment.
    """
    parts = urlsplit(url.strip())
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    if parts.port and parts.port != DEFAULT_PORTS.get(scheme):
        host = f"{host}:{parts.port}"
    path = re.sub(r"/{2,}", "/", PATH_SESSION.sub("", parts.path.replace("\\", "/"))) or "/"
    kept = [pair for pair in parts.query.split("&") if pair and not _idle(pair)]
    return str(canonicalize_url(urlunsplit((scheme, host, path, "&".join(kept), ""))))


def _idle(pair: str) -> bool:
    name, _, value = pair.partition("=")
    name = unquote(name)
    return bool(TRACKING_PARAMETER.match(name) or (MAYBE_SESSION_PARAMETER.match(name) and SESSION_VALUE.match(value)))


def scope_of(start: str) -> str:
    """The prefix that a crawl from this address stays under: the folder of the start page."""
    parts = urlsplit(start)
    path = parts.path if parts.path.endswith("/") else parts.path.rsplit("/", 1)[0] + "/"
    return urlunsplit((parts.scheme, parts.netloc, path or "/", "", ""))


def why_outside(url: str, scope: str, include: Sequence[str], exclude: Sequence[str]) -> Decision | None:
    """What keeps an address out of a crawl of a scope; None when it is part of it."""
    if not _same_site(url, scope):
        same = same_host(url, scope)
        return Decision(Kind.OTHER_FOLDER, urlsplit(scope).path) if same else Decision(Kind.OTHER_SITE)
    if NOT_PAGES.search(urlsplit(url).path):
        return Decision(Kind.NOT_A_PAGE)
    if include and not any(_matches(url, pattern) for pattern in include):
        return Decision(Kind.NOT_INCLUDED)
    if any(_matches(url, pattern) for pattern in exclude):
        return Decision(Kind.EXCLUDED)
    return None


def _bare(address: str) -> str:
    return re.sub(r"^https?://(www\.)?", "", address)


def same_host(url: str, other: str) -> bool:
    """Whether both are of one site: the same host and port, with or without www."""
    return _bare(url).partition("/")[0] == _bare(other).partition("/")[0]


def is_successor(target: str, start: str) -> bool:
    """Whether a start page that redirects to `target` has only moved within its owner's site: to another folder, or
    between a domain and its subdomain. A folder above is no move: that is where logins are."""
    one, other = (_bare(url).partition("/")[0].partition(":")[0] for url in (target, start))
    if one == other:
        return not scope_of(start).startswith(scope_of(target))
    return one.endswith(f".{other}") or other.endswith(f".{one}")


def _same_site(url: str, scope: str) -> bool:
    return _bare(url).startswith(_bare(scope)) or _bare(url) == _bare(scope).rstrip("/")


def _matches(url: str, pattern: str) -> bool:
    spelled = (url, urlsplit(url).path)
    return any(fnmatchcase(text, pattern) or fnmatchcase(unquote(text), pattern) for text in spelled)


def joined(base: str, link: str) -> str:
    """A link seen from a base, both as a page writes them; empty when they can't be read."""
    if PLAIN_ADDRESS.match(link):
        return link
    try:
        return f"{_origin(base)}{link}" if ROOTED_PATH.match(link) else urljoin(base, link.strip())
    except ValueError:
        return ""


@lru_cache(maxsize=64)
def _origin(base: str) -> str:
    return urljoin(base, "/").removesuffix("/")
