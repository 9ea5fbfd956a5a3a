"""One bot's configuration: `frontdesk.toml`, overridden by `FRONTDESK_SECTION__KEY`, secrets from the environment only.

Every key has a default and a sentence of help (`docs/settings.md` lists them; a test keeps it complete).
All problems are reported at once, each with file, key and what is allowed.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import available_timezones

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from bot.errors import ConfigError

PREFIX = "FRONTDESK_"
Every = Annotated[str, Field(pattern=r"^\d+(m|h|d)$")]


class Section(BaseModel):
    """A table of the file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _key(default: Any, help_text: str, **limits: Any) -> Any:
    return Field(default=default, description=help_text, **limits)


class Bot(Section):
    """Who answers."""

    name: str = _key("Frontdesk", "The bot's name, as visitors see it.", min_length=1)
    instruction: str = _key("", "The system instruction: the bot's character and rules. Empty: a careful default.")
    instruction_file: str = _key("", "A text file with the system instruction, instead of `instruction`.")
    languages: Literal["auto"] | list[str] = _key(
        "auto",
        "`auto`: answer in the asker's language; or the languages that are allowed, first one as fallback.",
    )
    greeting: str = _key("", "The first line in a new chat. Empty: a default in the visitor's language.")
    starters: list[str] = _key([], "Questions offered as buttons before the first message.", max_length=8)
    timezone: str = _key("UTC", "The business's time zone (IANA name), for dates in the prompt and the console.")
    contact: str = _key("", "Where a visitor goes when there is no answer: an address, phone or e-mail, as text.")

    @field_validator("timezone")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in available_timezones():
            raise ValueError(f"{value!r} is not a time zone; write it as Europe/London")
        return value


class Model(Section):
    """Who writes the answers."""

    provider: Literal["none", "openai"] = _key(
        "none", "`none`: the best sentences of the pages, cited; `openai`: any OpenAI-compatible server."
    )
    base_url: str = _key("", "The server's address ending in /v1. Empty: OpenAI's own.")
    name: str = _key("gpt-5-mini", "The model's name.")
    fast_name: str = _key("", "A cheaper model for rewriting follow-ups. Empty: the same model.")
    temperature: float = _key(0.2, "Sampling temperature.", ge=0, le=2)
    max_tokens: int = _key(4000, "Most tokens that an answer may have.", ge=16, le=200_000)
    timeout: float = _key(60.0, "Seconds without a token before the extractive answer is given instead.", gt=0, le=600)


class Embedding(Section):
    """How text becomes vectors."""

    provider: Literal["local", "openai", "onnx", "fastembed"] = _key(
        "local",
        "`local`: the bundled models; `openai`: any OpenAI-compatible /v1/embeddings; `onnx`: a file of your own at `path`"
        " (extra `onnx`); `fastembed`: one of that package's (extra `fastembed`).",
    )
    path: str = _key("", "The folder with model.onnx and tokenizer.json, for provider `onnx`.")
    base_url: str = _key("", "The embedding server's address ending in /v1. Empty: OpenAI's own.")
    name: str = _key("text-embedding-3-small", "The embedding model's name, for providers `openai` and `fastembed`.")


class Retrieval(Section):
    """How chunks are found."""

    mode: Literal["hybrid", "semantic", "keyword"] = _key(
        "hybrid", "Which legs search: both, vectors only, words only."
    )
    fusion: Literal["zscore", "rrf"] = _key("zscore", "How the legs are joined: z-scored scores, or reciprocal ranks.")
    threshold: float = _key(
        0.3, "Cut-off a leg: least cosine for vectors, least share of the best score for words.", ge=0, le=1
    )
    max_context_tokens: int = _key(2000, "Tokens that the hits may take in the prompt.", ge=100, le=100_000)
    floor: float = _key(
        0.5, "Least confidence that counts as found: lower is more helpful, higher more cautious.", ge=0, le=1
    )
    per_page: int = _key(3, "Most hits of one page while other pages are left.", ge=1, le=1000)
    rerank: Literal["features", "none", "remote", "onnx", "fastembed"] = _key(
        "features",
        "What orders the best candidates anew (docs/ranking.md): their words, or also a cross-encoder behind HTTP, in a folder"
        " (extra `onnx`) or of the package fastembed (extra `fastembed`).",
    )
    rerank_dialect: Literal["cohere", "jina", "tei"] = _key("cohere", "Which API a remote re-ranker speaks.")
    rerank_url: str = _key("", "Its address, as https://host. Empty: Cohere's or Jina's own service.")
    rerank_model: str = _key("", "The cross-encoder's name, where `remote` or `fastembed` needs one.")
    rerank_path: str = _key(
        "",
        "A folder with model.onnx and tokenizer.json, for `onnx`; with the files of `rerank_model`, for `fastembed`.",
    )

    hyde: bool = _key(False, "Have the fast model imagine an answer, and search with its vector too (docs/ranking.md).")
    queries: int = _key(1, "Questions searched at once: above 1 the fast model writes the others.", ge=1, le=5)

    @model_validator(mode="after")
    def _reranker_is_named(self) -> Retrieval:
        if self.rerank == "onnx" and not self.rerank_path:
            raise ValueError('rerank = "onnx" needs rerank_path, a folder with model.onnx and tokenizer.json')
        if self.rerank == "remote" and self.rerank_dialect == "tei" and not self.rerank_url:
            raise ValueError('rerank = "remote" with rerank_dialect = "tei" needs rerank_url')
        if self.rerank == "remote" and self.rerank_dialect != "tei" and not self.rerank_model:
            raise ValueError(f'rerank = "remote" with rerank_dialect = "{self.rerank_dialect}" needs rerank_model')
        return self


class Conversation(Section):
    """What is remembered of a chat."""

    max_request_tokens: int = _key(
        1000, "Longest question in tokens; longer ones are asked to be shortened.", ge=10, le=20_000
    )
    max_session_items: int = _key(
        15, "Messages of the session that go into the prompt, oldest turn dropped first.", ge=0, le=200
    )
    session_timeout: int = _key(1200, "Seconds of silence after which a session ends.", ge=1)


class Source(Section):
    """Where content comes from."""

    url: str = _key("", "A site, a page or a sitemap to crawl.")
    path: str = _key("", "A file or folder on this machine.")
    knowledge: str = _key("default", "The knowledge base that it belongs to.", min_length=1)
    every: Every = _key("1d", "How often it is crawled again: a number with m, h or d.")
    max_pages: int = _key(
        500, "Most pages of one crawl, the best ones first; 1 is the page at `url` alone.", ge=1, le=100_000
    )
    include: list[str] = _key([], "Only addresses that match one of these patterns (* is any text).")
    exclude: list[str] = _key([], "Never addresses that match one of these patterns.")
    render: Literal["never", "auto", "always"] = _key(
        "auto",
        "Render pages by JavaScript in the system's Chromium (extra `render`): `auto` those that are empty without it.",
    )
    chromium: str = _key("", "The browser's program. Empty: chromium or google-chrome, where they are installed.")
    import_images: bool = _key(True, "Keep images (address and alternative text) in the Markdown.")
    insert_source_url: bool = _key(False, "Append the page's address to its text.")
    headers: dict[str, str] = _key({}, "Extra request headers, for instance for a staging site.")
    max_depth: int = _key(
        0, "Most clicks from the start page; 0 is no limit. Pages of the sitemap always count as near.", ge=0
    )
    respect_robots: bool = _key(True, "Obey robots.txt. Only switch it off for a site of your own.")
    respect_noindex: bool = _key(
        True, "Leave pages out that ask search engines to. Only switch it off for your own site."
    )
    allow_private: bool = _key(
        False, "Allow private and loopback addresses and any port, for a site inside your own network."
    )
    delay: float = _key(0.0, "Least seconds between two requests; robots.txt may ask for more.", ge=0, le=60)
    concurrency: int = _key(4, "Requests under way at once.", ge=1, le=16)

    @model_validator(mode="after")
    def _one_place(self) -> Source:
        if bool(self.url) == bool(self.path):
            raise ValueError("set either url or path")
        if re.search(r"//[^?#]*@", self.url.partition("/@")[0]):  # it would be stored, logged and shown
            raise ValueError("url holds a user name or password; put it into headers (Authorization)")
        return self


class Split(Section):
    """How documents become chunks."""

    strategy: Literal["headings", "small2big", "subjects"] = _key(
        "headings",
        "`headings`: headings first, then paragraphs and sentences; `small2big`: small chunks are found, larger ones shown;"
        " `subjects`: the fast model writes long pages anew, a section a subject (docs/splitting.md).",
    )
    chunk_tokens: int = _key(320, "Most tokens of a chunk's text.", ge=40, le=2000)
    overlap: float = _key(0.12, "Share of a chunk repeated in the next one, inside a section only.", ge=0, le=0.5)
    child_words: int = _key(200, "Most words of the chunks that are found, for `small2big`.", ge=20, le=1000)
    parent_words: int = _key(400, "Most words of the parents that are shown, for `small2big`.", ge=40, le=3000)
    contextual: bool = _key(
        False, "Have the fast model write for each chunk where in its document it stands; searched with it, not shown."
    )
    summary_prompt: str = _key("", "What the model is told to summarise a document for that. Empty: a careful default.")
    context_prompt: str = _key(
        "", "What it is told to place a chunk by the summary and its neighbours. Empty: a default."
    )


class Question(Section):
    """One question of the questionnaire."""

    ask: str = _key(..., "The question, as the visitor reads it.", min_length=1)
    name: str = _key(..., "The answer's name, in the prompt and the console.", pattern=r"^[a-z][a-z0-9_]*$")
    kind: Literal["text", "email", "phone", "number", "choice"] = _key("text", "What counts as an answer.")
    choices: list[str] = _key([], "The allowed answers of kind `choice`.")
    required: bool = _key(False, "Whether it must be answered; else any word that skips is accepted.")
    once: bool = _key(True, "Asked once a conversation, not once a session.")
    context: bool = _key(True, "Whether the answer is replayed to the model.")

    @model_validator(mode="after")
    def _choices_for_choice(self) -> Question:
        if self.kind == "choice" and len(self.choices) < 2:
            raise ValueError('kind = "choice" needs at least two choices')
        return self


class Web(Section):
    """The web channel."""

    enabled: bool = _key(True, "Serve the web chat and the widget.")
    origins: list[str] = _key(["*"], "Sites that may embed the widget, as scheme://host[:port]; * allows every site.")


class Telegram(Section):
    """The Telegram channel; needs FRONTDESK_TELEGRAM_TOKEN."""

    enabled: bool = _key(True, "Run the channel when its token is set.")
    mode: Literal["polling", "webhook"] = _key(
        "polling", "`polling` needs no public address; `webhook` needs server.public_url."
    )
    stream: bool = _key(True, "Show the answer while it is written, by editing the message.")
    burst_seconds: float = _key(0.6, "Seconds to wait for the rest of several short messages.", ge=0, le=10)


class WhatsApp(Section):
    """The WhatsApp channel; needs Twilio's credentials."""

    enabled: bool = _key(True, "Run the channel when its credentials are set.")
    provider: Literal["twilio"] = _key("twilio", "Who connects to WhatsApp.")
    sender: str = _key("", "The sender, as whatsapp:+441632960000. Empty: the number that was written to.")
    burst_seconds: float = _key(0.6, "Seconds to wait for the rest of several short messages.", ge=0, le=10)


class Channels(Section):
    """The doors."""

    web: Web = Web()
    telegram: Telegram = Telegram()
    whatsapp: WhatsApp = WhatsApp()


class Limits(Section):
    """What one visitor may use."""

    per_visitor_minute: int = _key(20, "Messages of one visitor a minute.", ge=1)
    sessions_per_minute: int = _key(60, "New web visitors of one network address a minute.", ge=1)


class Gaps(Section):
    """The missing-content log."""

    similarity: float = _key(0.6, "Least cosine of two questions that form one topic.", ge=0, le=1)


class Privacy(Section):
    """What is kept, and how long."""

    retention_days: int = _key(365, "Days after which conversations are erased; 0 keeps them.", ge=0)


class Server(Section):
    """Where Frontdesk listens."""

    host: str = _key("127.0.0.1", "The address to listen on.")
    port: int = _key(8080, "The port to listen on.", ge=0, le=65535)
    public_url: str = _key(
        "", "The address that visitors and platforms use, as https://bot.example. Needed for webhooks."
    )
    trusted_proxies: int = _key(0, "Reverse proxies in front whose X-Forwarded-For is believed.", ge=0, le=5)


class Database(Section):
    """Where the two databases are."""

    url: str = _key("", "The conversations' SQLite file. Empty: conversations.db in the data folder.")
    knowledge_url: str = _key("", "The knowledge's SQLite file. Empty: knowledge.db in the data folder.")


class Secrets(BaseModel):
    """Values that come from the environment only, or from the file that NAME_FILE names; never printed."""

    openai_api_key: SecretStr = SecretStr("")
    telegram_token: SecretStr = SecretStr("")
    telegram_secret: SecretStr = SecretStr("")
    twilio_account_sid: SecretStr = SecretStr("")
    twilio_auth_token: SecretStr = SecretStr("")
    rerank_api_key: SecretStr = SecretStr("")
    owner_password: SecretStr = SecretStr("")
    secret_key: SecretStr = SecretStr("")


SECRET_NAMES = {
    "openai_api_key": "OPENAI_API_KEY",
    **{name: PREFIX + name.upper() for name in Secrets.model_fields if name != "openai_api_key"},
}
ADDRESS_NAMES = {"telegram_api": "FRONTDESK_TELEGRAM_API", "twilio_api": "FRONTDESK_TWILIO_API"}
RESERVED_NAMES = {f"FRONTDESK_WHATSAPP_{name}" for name in ("TOKEN", "APP_SECRET", "VERIFY_TOKEN", "API")}
"""Names that are kept for WhatsApp over Meta's own API; `frontdesk doctor` says that they do nothing yet."""
OTHER_NAMES = {"FRONTDESK_DATA", *RESERVED_NAMES}


class Config(Section):
    """A whole bot."""

    bot: Bot = Bot()
    model: Model = Model()
    embedding: Embedding = Embedding()
    retrieval: Retrieval = Retrieval()
    conversation: Conversation = Conversation()
    sources: list[Source] = []
    split: Split = Split()
    questionnaire: list[Question] = []
    channels: Channels = Channels()
    limits: Limits = Limits()
    gaps: Gaps = Gaps()
    privacy: Privacy = Privacy()
    server: Server = Server()
    database: Database = Database()
    secrets: Secrets = Field(default=Secrets(), exclude=True, repr=False)
    telegram_api: str = Field(default="https://api.telegram.org", exclude=True)
    twilio_api: str = Field(default="", exclude=True)
    data: str = Field(default="", exclude=True)
    reserved: tuple[str, ...] = Field(default=(), exclude=True)
    folder: Path = Field(default=Path(), exclude=True)


FILE_KEYS = [name for name, field in Config.model_fields.items() if not field.exclude]


def load(path: Path | None, environ: Mapping[str, str] | None = None) -> Config:
    """The configuration of a file (None: defaults only) and the environment; raises ConfigError with every problem."""
    environ = {**_dotenv(path.parent if path else Path()), **os.environ} if environ is None else environ
    table, problems = _read(path) if path else ({}, [])
    problems += _override(table, environ)
    secrets, secret_problems = _secrets(environ)
    problems += secret_problems
    for name in set(table) - set(FILE_KEYS):
        problems.append(f"{path}: [{name}] is not a section; allowed are {', '.join(FILE_KEYS)}")
        table.pop(name)
    extra: dict[str, Any] = {key: environ[name].rstrip("/") for key, name in ADDRESS_NAMES.items() if environ.get(name)}
    extra["data"] = environ.get("FRONTDESK_DATA", "")
    extra["reserved"] = tuple(sorted(name for name in RESERVED_NAMES if environ.get(name)))
    folder = path.parent if path else Path()
    try:
        config = Config.model_validate({**table, **extra, "secrets": secrets, "folder": folder})
    except ValidationError as error:
        problems += [_sentence(path, item) for item in error.errors(include_input=False, include_url=False)]
        raise ConfigError(problems) from None
    if problems:
        raise ConfigError(problems)
    return config


def _dotenv(folder: Path) -> dict[str, str]:
    """The NAME=value lines of `.env` beside the file; the real environment wins."""
    try:
        lines = (folder / ".env").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    pairs = [line.strip().removeprefix("export ").partition("=") for line in lines if not line.lstrip().startswith("#")]
    return {name.strip(): value.strip().strip("\"'") for name, sign, value in pairs if sign}


def _read(path: Path) -> tuple[dict[str, Any], list[str]]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")), []
    except FileNotFoundError:
        return {}, [f"{path}: there is no such file; `frontdesk init` writes one"]
    except (OSError, UnicodeDecodeError) as error:
        return {}, [f"{path}: can't be read: {error}"]
    except tomllib.TOMLDecodeError as error:
        return {}, [f"{path}: is not valid TOML: {error}"]


def _override(table: dict[str, Any], environ: Mapping[str, str]) -> list[str]:
    known = {
        *SECRET_NAMES.values(),
        *(f"{name}_FILE" for name in SECRET_NAMES.values()),
        *ADDRESS_NAMES.values(),
        *OTHER_NAMES,
    }
    problems = []
    for name, value in environ.items():
        if not name.startswith(PREFIX) or name in known:
            continue
        keys = name.removeprefix(PREFIX).lower().split("__")
        if keys[0] not in FILE_KEYS or len(keys) < 2:
            problems.append(f"{name}: is not a setting; write FRONTDESK_SECTION__KEY, as FRONTDESK_RETRIEVAL__MODE")
            continue
        place = table
        for key in keys[:-1]:
            place = place.setdefault(key, {})
            if not isinstance(place, dict):
                problems.append(f"{name}: a list can't be set by the environment, only in the file")
                break
        else:
            place[keys[-1]] = _value(value)
    return problems


def _value(text: str) -> Any:
    if text[:1] in "[{":
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def _secrets(environ: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    found, problems = {}, []
    for key, name in SECRET_NAMES.items():
        if environ.get(name):
            found[key] = environ[name].strip()
        elif file_name := environ.get(f"{name}_FILE"):
            try:
                found[key] = Path(file_name).read_text(encoding="utf-8").strip()
            except OSError as error:
                problems.append(f"{name}_FILE: can't be read: {error.strerror}")
    return found, problems


def _sentence(path: Path | None, item: Any) -> str:
    where = ".".join(str(part) for part in item["loc"] if part not in ("constrained-str", "literal['auto']"))
    text = str(item["msg"]).removeprefix("Value error, ")
    if item["type"] == "extra_forbidden":
        text = "there is no such key"
    return f"{path or 'environment'}: {where}: {text[:1].lower() + text[1:]}"
