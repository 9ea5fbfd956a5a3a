"""Visitors of the web channel: a random id in a signed token; no cookie, no account."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from urllib.parse import urlsplit

from aiohttp import web


def new_token(key: bytes) -> tuple[str, str]:
    """A new visitor's id and bearer token."""
    visitor = secrets.token_urlsafe(16)
    return visitor, f"{visitor}.{_signature(key, visitor)}"


def visitor_of(key: bytes, token: str) -> str:
    """The visitor whom a token belongs to; empty when it isn't one of ours."""
    visitor, _, signature = token.rpartition(".")
    good = _signature(key, visitor)
    return visitor if visitor and hmac.compare_digest(signature.encode(), good.encode()) else ""


def _signature(key: bytes, visitor: str) -> str:
    return hmac.new(key, b"visitor:" + visitor.encode(), hashlib.sha256).hexdigest()[:40]


def bearer(request: web.Request) -> str:
    """The request's bearer token, or an empty text."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def address_of(request: web.Request, trusted_proxies: int) -> str:
    """The network address of the visitor, as far as proxies in front are trusted."""
    chain = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    if trusted_proxies and len(chain) >= trusted_proxies:
        return chain[-trusted_proxies]
    return request.remote or ""


def allowed_origin(request: web.Request, origins: list[str]) -> str | None:
    """The request's Origin when it may talk to us, an empty text when it has none, None when it may not."""
    origin = request.headers.get("Origin", "")
    if not origin:
        return ""
    if origin == "null":
        return None
    try:
        own = urlsplit(origin).netloc == request.host
    except ValueError:
        return None
    return origin if own or "*" in origins or origin.lower() in (item.rstrip("/").lower() for item in origins) else None
