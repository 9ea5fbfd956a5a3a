"""Pages that answer 200 and are none: "not found" pages that don't say so, and login walls.

A site's own manner of saying "not found" is learned by asking one address that can't be there.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable
from urllib.parse import unquote, urlsplit

from retrieval.decision import Decision, Kind
from retrieval.document import Document
from retrieval.ingest.wishes import Wishes
from retrieval.text.likeness import WORD_OR_LETTER, Bag, alike, bag, without_dates

FEW_WORDS = 120
"""Words under which a page with a password field is a login page, and one that says "not found" means itself."""
FALSE_PAGE_LIKENESS = 0.85
"""Of a page with what the host answers a made-up address, from which it is a "not found" page (test_decoy.py)."""
LEAST_FALSE_PAGE_WORDS = 4
"""A made-up address that is answered with fewer words says nothing. Chosen by hand."""
NOT_FOUND_TITLE = re.compile(
    r"^\W*(?:(?:http|status|error|fehler|erreur)\W*)*404\W*(?:error|fehler|erreur)?\W*$|"
    r"\b(?:page|site|document|content|product|file|url)\b.{0,20}\b(?:not|n't) (?:be )?(?:found|exist|available)|"
    r"(?:^|[-–—|:·»] *|\b404\W*)not found\W*$|\b(?:seite|dokument)\b.{0,20}\bnicht (?:gefunden|vorhanden|verfügbar)|"
    r"\bpage (?:introuvable|non trouvée)|\bpágina no (?:encontrada|existe)|\bpagina (?:non trovata|niet gevonden)|"
    r"\bpágina não encontrada|\bsidan (?:hittades inte|finns inte)|\bnie znaleziono strony|\bстраница не найдена|"
    r"\boops\b.{0,40}\b(?:found|exist)",
    re.I,
)
QUESTION_TITLE = re.compile(r"\?\s*$|^(?:how|what|when|why|where|if)\b", re.I)
"""A question about things that aren't found is a help page, not a missing one."""
LOGIN_WORDS = re.compile(
    r"\b(?:log|sign)[- ]?(?:in|on)\b|\blogged in\b|\b(?:my|your) account\b|\bmembers?(?:[- ]only|['’]? area)|\bpasswor[dt]\b"
    r"|\banmeld|\bmelden sie sich an\b|\beinloggen\b|\bkennwort\b|\bmitgliederbereich\b|\bconnexion\b|\bconnectez\b"
    r"|\bidentifi(?:ez|ant)|\bmot de passe\b|\b(?:iniciar?|inicie) sesión\b|\bcontraseña\b|\bacced[ie]\b|\binloggen\b"
    r"|\bwachtwoord\b|\blogga in\b|\blösenord\b|\blog ind\b|\bzaloguj|\bhasło\b|\biniciar sessão\b|\bsenha\b"
    r"|\bвойти\b|\bвход\b|\bпароль|ログイン|登录|登入|로그인",
    re.I,
)
BARE_FORM_WORDS = 15
"""Words that a login page without a word of it has at most: its form and little else."""
SHORT_WALL_WORDS = 60
"""Words under which it is enough that the text speaks of logging in."""

Probe = Callable[[str], Awaitable[Document | None]]
"""An address as a document, or None when the server says honestly that it has none."""


class Decoys:
    """What a crawl learned of its hosts' false pages."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self._hosts: dict[str, Bag] = {}
        self._one = asyncio.Lock()

    async def why(self, url: str, document: Document, wishes: Wishes, start: str) -> Decision | None:
        """What is decided on a page that is none; None when it is one. `start`: the source's own address."""
        words = bag(document.markdown)
        if wishes.password and words.total() < FEW_WORDS and _is_wall(document, words):
            return Decision(Kind.LOGIN)
        if url == start:
            return None
        if words.total() < FEW_WORDS and _says_missing(document.title):
            said = f"says that it isn't there, though the server answers 200 (soft 404: {document.title})"
            return Decision(Kind.SOFT_404, detail=said)
        false = await self._false_page(url)
        if (
            false.total() >= LEAST_FALSE_PAGE_WORDS
            and alike(_without_own_words(words, url), false) >= FALSE_PAGE_LIKENESS
        ):
            return Decision(Kind.SOFT_404, detail="the same as what a made-up address gets (soft 404)")
        return None

    async def _false_page(self, url: str) -> Bag:
        """The words that the host answers an address with that isn't there; none when it says so honestly."""
        parts = urlsplit(url)
        host = f"{parts.scheme}://{parts.netloc}"
        async with self._one:  # pages that come while it is asked wait for the answer
            if host not in self._hosts:
                address = f"{host}/{secrets.token_hex(8)}"
                document = await self._probe(address)
                self._hosts[host] = _without_own_words(bag(document.markdown), address) if document else Bag()
        return self._hosts[host]


def _is_wall(document: Document, words: Bag) -> bool:
    """Whether a short page with a password field is about that, and not a page whose frame has a form to log in."""
    if words.total() <= BARE_FORM_WORDS or (
        LOGIN_WORDS.search(document.title) and not QUESTION_TITLE.search(document.title)
    ):
        return True
    return words.total() <= SHORT_WALL_WORDS and bool(LOGIN_WORDS.search(document.markdown))


def _says_missing(title: str) -> bool:
    return bool(NOT_FOUND_TITLE.search(title)) and not QUESTION_TITLE.search(title)


def _without_own_words(words: Bag, url: str) -> Bag:
    """The words without figures, and without those of the address itself, which such pages like to repeat."""
    own = set(WORD_OR_LETTER.findall(unquote(urlsplit(url).path).lower()))
    return Bag({word: n for word, n in without_dates(words).items() if word not in own})
