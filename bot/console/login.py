"""The owner's way into the console: a password, a signed cookie, and a token in each form."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from pathlib import Path

from aiohttp import web

from bot.messages import Rate

COOKIE = "frontdesk_owner"
LOGIN_SECONDS = 12 * 3600
"""After which the owner is asked again."""
MOST_TRIES_A_MINUTE = 10


def secret_key(folder: Path, given: str) -> bytes:
    """The key that signs tokens: the configured one, else one that is made once and kept in the data folder."""
    if given:
        return hashlib.sha256(given.encode()).digest()
    file = folder / "secret.key"
    if not file.exists():
        _write_private(file, secrets.token_hex(32))
    return hashlib.sha256(file.read_bytes()).digest()


class Owner:
    """Checks passwords and sessions."""

    def __init__(self, key: bytes, password_hash: str) -> None:
        self._key = key
        self._hash = password_hash
        self._tries = Rate(MOST_TRIES_A_MINUTE)

    @classmethod
    def opened(cls, folder: Path, key: bytes, given: str) -> tuple[Owner, str]:
        """The owner, and the password when it has just been made (else empty): only its hash is kept."""
        if given:
            return cls(key, _hashed(given, "configured")), ""
        file = folder / "owner.hash"
        if file.exists():
            return cls(key, file.read_text(encoding="utf-8").strip()), ""
        password = "-".join(secrets.token_hex(2) for _ in range(4))
        _write_private(file, _hashed(password, secrets.token_hex(8)))
        return cls(key, file.read_text(encoding="utf-8").strip()), password

    def may_try(self) -> bool:
        """Whether another password may be tried now."""
        return self._tries.wait("") == 0

    def is_right(self, password: str) -> bool:
        """Whether this is the owner's password."""
        salt = self._hash.partition("$")[0]
        return hmac.compare_digest(_hashed(password, salt), self._hash)

    def cookie(self) -> str:
        """A new session's value."""
        until = str(int(time.time()) + LOGIN_SECONDS)
        return f"{until}.{self._signed('session', until)}"

    def is_in(self, request: web.Request) -> bool:
        """Whether the request carries a session that is still good."""
        until, _, signature = request.cookies.get(COOKIE, "").partition(".")
        good = hmac.compare_digest(signature.encode(), self._signed("session", until).encode())
        return good and until.isdigit() and int(until) > time.time()

    def form_token(self, request: web.Request) -> str:
        """The token that the session's forms carry."""
        return self._signed("form", request.cookies.get(COOKIE, ""))

    def is_own_form(self, request: web.Request, token: str) -> bool:
        """Whether a form was made for this session."""
        return hmac.compare_digest(token.encode(), self.form_token(request).encode())

    def _signed(self, purpose: str, text: str) -> str:
        digest = hmac.new(self._key, f"{purpose}:{self._hash}:{text}".encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _hashed(password: str, salt: str) -> str:
    digest = hashlib.scrypt(password.encode(), salt=salt.encode(), n=2**14, r=8, p=1)
    return f"{salt}${digest.hex()}"


def _write_private(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(text, encoding="utf-8")
