"""Which hosts may be connected to: the check on names, on addresses, and on the socket's own address.

The last one is what counts: it sees the address that is really connected to, whatever a name meant before (DNS
rebinding) and however an address is spelled.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from typing import Any
from urllib.parse import urlsplit

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from retrieval.decision import Kind
from retrieval.errors import FetchError

WEB_PORTS = (80, 443)
NAT64 = ipaddress.ip_network("64:ff9b::/96")
REFUSED_NETWORKS = [
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "224.0.0.0/3",
        "::/8", "100::/64", "2001::/23", "3fff::/20", "5f00::/16", "fec0::/10",
        "168.63.129.16/32",  # a cloud's own servers, asked from within by a public address
    )
]  # fmt: skip
"""Networks that aren't the public internet though `is_global` lets some of them through."""
HOW_TO_ALLOW = "set allow_private = true for a site of your own"

IPv6 = ipaddress.IPv6Address
IPv4 = ipaddress.IPv4Address


def is_public(address: str) -> bool:
    """Whether an IP address is on the public internet, whatever form hides it; False for what is no address."""
    try:
        ip = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return False
    carried = _carried(ip) if isinstance(ip, IPv6) else ()
    return all(_is_public(inner) for inner in carried) if carried else _is_public(ip)


def _is_public(ip: IPv4 | IPv6) -> bool:
    inside = any(ip.version == network.version and ip in network for network in REFUSED_NETWORKS)
    return ip.is_global and not ip.is_multicast and not inside


def _carried(ip: IPv6) -> tuple[IPv4, ...]:
    """The IPv4 addresses inside a mapped, NAT64, 6to4 or Teredo address: they are where the packets end."""
    if ip.ipv4_mapped:
        return (ip.ipv4_mapped,)
    if ip in NAT64:
        return (IPv4(int(ip) & 0xFFFFFFFF),)
    if ip.sixtofour:
        return (ip.sixtofour,)
    return ip.teredo or ()


def check(url: str, *, allow_private: bool) -> None:
    """Raise FetchError unless the address is one that may be asked for; names are checked when they are resolved."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise bad_address(without_secret(url)) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise FetchError(
            "only http and https addresses are fetched",
            about=without_secret(url),
            kind=Kind.BAD_ADDRESS,
            permanent=True,
        )
    if parts.username or parts.password:
        raise FetchError(
            "holds a user name or password; put it into the source's headers (Authorization)",
            about=without_secret(url),
            kind=Kind.CREDENTIALS,
            permanent=True,
        )
    if allow_private:
        return
    literal = parts.hostname.replace(".", "").isdigit() or ":" in parts.hostname
    if literal and not is_public(parts.hostname):
        raise _private(url, "is a private address")
    if port and port not in WEB_PORTS:
        raise _private(url, "only the ports 80 and 443 are asked")


def without_secret(url: str) -> str:
    """The address as it may be shown: without its user name and password."""
    return re.sub(r"//[^?#]*@", "//…@", url, count=1)


class Resolver(AbstractResolver):
    """Resolves names, and refuses those of which any answer leads into a private network."""

    def __init__(self, inner: AbstractResolver | None = None) -> None:
        self._inner = inner or ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        if not all(is_public(item["host"]) for item in found):
            raise _private(host, "leads into a private network")
        return found

    async def close(self) -> None:
        await self._inner.close()


def public_socket(info: tuple[Any, ...]) -> socket.socket:
    """A socket for an address of `getaddrinfo`'s form, if it is a public one: the last check before connecting."""
    family, kind, protocol, _, address = info
    if not is_public(str(address[0])):
        raise _private(str(address[0]), "is a private address")
    return socket.socket(family, kind, protocol)


def bad_address(url: str) -> FetchError:
    """The error for what can't be read as an address."""
    return FetchError("can't be read as an address", about=url, kind=Kind.BAD_ADDRESS, permanent=True)


def _private(about: str, why: str) -> FetchError:
    return FetchError(f"{why}; {HOW_TO_ALLOW}", about=about, kind=Kind.PRIVATE_ADDRESS, permanent=True)
