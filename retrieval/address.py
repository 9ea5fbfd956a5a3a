"""Addresses of pages: one spelling for each, what belongs to a source, and which of them may be connected to."""

from __future__ import annotations

import ipaddress
import re
from fnmatch import fnmatchcase
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

TRACKING = re.compile(r"^(utm_\w+|gclid|fbclid|mc_[ce]id|msclkid|_ga|ref|phpsessid|jsessionid|sid|sessionid)$", re.I)
NOT_PAGES = re.compile(
    r"\.(jpe?g|png|gif|webp|svg|ico|css|js|mjs|json|xml|rss|atom|woff2?|ttf|mp[34]|webm|mov|avi|wav|zip|gz|tgz|exe|dmg)$",
    re.I,
)
PLAIN_ADDRESS = re.compile(r"https?://[a-z0-9.-]+(/[\w~%-]+)*/?$")
"""An address that joining would leave as it is, which is most of them."""
REFUSED_NETWORKS = [
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "224.0.0.0/3",
        "::/8", "100::/64", "2001::/23", "2002::/16", "fec0::/10",
    )
]  # fmt: skip
"""Networks that `is_global` lets through, or that carry another address inside."""


def normalised(url: str) -> str:
    """The address's one spelling: no fragment, no tracking parameters, lower-case host, no default port."""
    parts = urlsplit(url.strip())
    host = (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    port = parts.port
    if port and port != {"http": 80, "https": 443}.get(parts.scheme):
        host = f"{host}:{port}"
    pairs = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not TRACKING.match(pair[0])]
    query = urlencode(sorted(pairs)) if pairs else ""
    return urlunsplit((parts.scheme.lower(), host, re.sub(r"/{2,}", "/", parts.path) or "/", query, ""))


def scope_of(start: str) -> str:
    """The prefix that a crawl from this address stays under: the folder of the start page."""
    parts = urlsplit(start)
    path = parts.path if parts.path.endswith("/") else parts.path.rsplit("/", 1)[0] + "/"
    return urlunsplit((parts.scheme, parts.netloc, path or "/", "", ""))


def why_outside(url: str, scope: str, include: list[str], exclude: list[str]) -> str:
    """Why an address isn't part of a crawl, as words for the report; empty when it is."""
    if NOT_PAGES.search(urlsplit(url).path):
        return "not a page"
    if not _same_site(url, scope):
        return "another site"
    if include and not any(_matches(url, pattern) for pattern in include):
        return "matches no include pattern"
    if any(_matches(url, pattern) for pattern in exclude):
        return "matches an exclude pattern"
    return ""


def _same_site(url: str, scope: str) -> bool:
    def bare(address: str) -> str:
        return re.sub(r"^https?://(www\.)?", "", address)

    return bare(url).startswith(bare(scope)) or bare(url) == bare(scope).rstrip("/")


def _matches(url: str, pattern: str) -> bool:
    return fnmatchcase(url, pattern) or fnmatchcase(urlsplit(url).path, pattern)


def is_public(address: str) -> bool:
    """Whether an IP address is on the public internet, whatever form hides it."""
    try:
        ip = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    inside = any(ip.version == network.version and ip in network for network in REFUSED_NETWORKS)
    return ip.is_global and not ip.is_multicast and not inside


def joined(base: str, link: str) -> str:
    """A link seen from a base, both as a page writes them; empty when they can't be read."""
    if PLAIN_ADDRESS.match(link):
        return link
    try:
        return urljoin(base, link.strip())
    except ValueError:
        return ""
