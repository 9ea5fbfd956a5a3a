"""The sections of `frontdesk.toml`: each key with its default, a sentence of help and its limits.

`docs/settings.md` is made of them; a test keeps it complete.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import available_timezones

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

Every = Annotated[str, Field(pattern=r"^\d+(m|h|d)$")]


class Settings(BaseModel):
    """A table of the file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def setting(default: Any, help_text: str, **limits: Any) -> Any:
    """A key of a section: its default, a sentence of help, and pydantic's limits (`ge`, `pattern`, …)."""
    return Field(default=default, description=help_text, **limits)


class BotSettings(Settings):
    """Who answers."""

    name: str = setting("Frontdesk", "The bot's name, as visitors see it.", min_length=1)
    instruction: str = setting("", "The system instruction: the bot's character and rules. Empty: a careful default.")
    instruction_file: str = setting("", "A text file with the system instruction, instead of `instruction`.")
    languages: Literal["auto"] | list[str] = setting(
        "auto",
        "`auto`: answer in the asker's language; or the languages that are allowed, first one as fallback.",
    )
    greeting: str = setting("", "The first line in a new chat. Empty: a default in the visitor's language.")
    starters: list[str] = setting([], "Questions offered as buttons before the first message.", max_length=8)
    timezone: str = setting("UTC", "The business's time zone (IANA name), for dates in the prompt and the console.")
    contact: str = setting("", "Where a visitor goes when there is no answer: an address, phone or e-mail, as text.")

    @field_validator("timezone")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in available_timezones():
            raise ValueError(f"{value!r} is not a time zone; write it as Europe/London")
        return value


class ModelSettings(Settings):
    """Who writes the answers."""

    provider: Literal["none", "openai"] = setting(
        "none", "`none`: the best sentences of the pages, cited; `openai`: any OpenAI-compatible server."
    )
    base_url: str = setting("", "The server's address ending in /v1. Empty: OpenAI's own.")
    name: str = setting("gpt-5-mini", "The model's name.")
    fast_name: str = setting("", "A cheaper model for rewriting follow-ups. Empty: the same model.")
    temperature: float = setting(0.2, "Sampling temperature.", ge=0, le=2)
    max_tokens: int = setting(4000, "Most tokens that an answer may have.", ge=16, le=200_000)
    timeout: float = setting(
        60.0, "Seconds without a token before the extractive answer is given instead.", gt=0, le=600
    )


class EmbeddingSettings(Settings):
    """How text becomes vectors."""

    provider: Literal["local", "openai", "onnx", "fastembed"] = setting(
        "local",
        "`local`: the bundled models; `openai`: any OpenAI-compatible /v1/embeddings; `onnx`: a file of your own at `path`"
        " (extra `onnx`); `fastembed`: one of that package's (extra `fastembed`).",
    )
    path: str = setting("", "The folder with model.onnx and tokenizer.json, for provider `onnx`.")
    base_url: str = setting("", "The embedding server's address ending in /v1. Empty: OpenAI's own.")
    name: str = setting("text-embedding-3-small", "The embedding model's name, for providers `openai` and `fastembed`.")


class RetrievalSettings(Settings):
    """How chunks are found."""

    mode: Literal["hybrid", "semantic", "keyword"] = setting(
        "hybrid", "Which legs search: both, vectors only, words only."
    )
    fusion: Literal["zscore", "rrf"] = setting(
        "zscore", "How the legs are joined: z-scored scores, or reciprocal ranks."
    )
    threshold: float = setting(
        0.3, "Cut-off a leg: least cosine for vectors, least share of the best score for words.", ge=0, le=1
    )
    max_context_tokens: int = setting(2000, "Tokens that the hits may take in the prompt.", ge=100, le=100_000)
    floor: float = setting(
        0.5, "Least confidence that counts as found: lower is more helpful, higher more cautious.", ge=0, le=1
    )
    per_page: int = setting(3, "Most hits of one page while other pages are left.", ge=1, le=1000)
    rerank: Literal["features", "none", "remote", "onnx", "fastembed"] = setting(
        "features",
        "What orders the best candidates anew (docs/ranking.md): their words, or also a cross-encoder behind HTTP, in a folder"
        " (extra `onnx`) or of the package fastembed (extra `fastembed`).",
    )
    rerank_dialect: Literal["cohere", "jina", "tei"] = setting("cohere", "Which API a remote re-ranker speaks.")
    rerank_url: str = setting("", "Its address, as https://host. Empty: Cohere's or Jina's own service.")
    rerank_model: str = setting("", "The cross-encoder's name, where `remote` or `fastembed` needs one.")
    rerank_path: str = setting(
        "",
        "A folder with model.onnx and tokenizer.json, for `onnx`; with the files of `rerank_model`, for `fastembed`.",
    )

    hyde: bool = setting(
        False, "Have the fast model imagine an answer, and search with its vector too (docs/ranking.md)."
    )
    queries: int = setting(1, "Questions searched at once: above 1 the fast model writes the others.", ge=1, le=5)

    @model_validator(mode="after")
    def _reranker_is_named(self) -> RetrievalSettings:
        if self.rerank == "onnx" and not self.rerank_path:
            raise ValueError('rerank = "onnx" needs rerank_path, a folder with model.onnx and tokenizer.json')
        if self.rerank == "remote" and self.rerank_dialect == "tei" and not self.rerank_url:
            raise ValueError('rerank = "remote" with rerank_dialect = "tei" needs rerank_url')
        if self.rerank == "remote" and self.rerank_dialect != "tei" and not self.rerank_model:
            raise ValueError(f'rerank = "remote" with rerank_dialect = "{self.rerank_dialect}" needs rerank_model')
        return self


class ConversationSettings(Settings):
    """What is remembered of a chat."""

    max_request_tokens: int = setting(
        1000, "Longest question in tokens; longer ones are asked to be shortened.", ge=10, le=20_000
    )
    max_session_items: int = setting(
        15, "Messages of the session that go into the prompt, oldest turn dropped first.", ge=0, le=200
    )
    session_timeout: int = setting(1200, "Seconds of silence after which a session ends.", ge=1)


class SourceSettings(Settings):
    """Where content comes from."""

    url: str = setting("", "A site, a page or a sitemap to crawl.")
    path: str = setting("", "A file or folder on this machine.")
    knowledge: str = setting("default", "The knowledge base that it belongs to.", min_length=1)
    every: Every = setting("1d", "How often it is crawled again: a number with m, h or d.")
    max_pages: int = setting(
        500, "Most pages of one crawl, the best ones first; 1 is the page at `url` alone.", ge=1, le=100_000
    )
    include: list[str] = setting([], "Only addresses that match one of these patterns (* is any text).")
    exclude: list[str] = setting([], "Never addresses that match one of these patterns.")
    render: Literal["never", "auto", "always"] = setting(
        "auto",
        "Render pages by JavaScript in the system's Chromium (extra `render`): `auto` those that are empty without it.",
    )
    chromium: str = setting("", "The browser's program. Empty: chromium or google-chrome, where they are installed.")
    import_images: bool = setting(True, "Keep images (address and alternative text) in the Markdown.")
    insert_source_url: bool = setting(False, "Append the page's address to its text.")
    headers: dict[str, str] = setting({}, "Extra request headers, for instance for a staging site.")
    max_depth: int = setting(
        0, "Most clicks from the start page; 0 is no limit. Pages of the sitemap always count as near.", ge=0
    )
    respect_robots: bool = setting(True, "Obey robots.txt. Only switch it off for a site of your own.")
    respect_noindex: bool = setting(
        True, "Leave pages out that ask search engines to. Only switch it off for your own site."
    )
    allow_private: bool = setting(
        False, "Allow private and loopback addresses and any port, for a site inside your own network."
    )
    delay: float = setting(0.0, "Least seconds between two requests; robots.txt may ask for more.", ge=0, le=60)
    concurrency: int = setting(4, "Requests under way at once.", ge=1, le=16)

    @model_validator(mode="after")
    def _url_or_path(self) -> SourceSettings:
        if bool(self.url) == bool(self.path):
            raise ValueError("set either url or path")
        if re.search(r"//[^?#]*@", self.url.partition("/@")[0]):  # it would be stored, logged and shown
            raise ValueError("url holds a user name or password; put it into headers (Authorization)")
        return self


class SplitSettings(Settings):
    """How documents become chunks."""

    strategy: Literal["headings", "small2big", "subjects"] = setting(
        "headings",
        "`headings`: headings first, then paragraphs and sentences; `small2big`: small chunks are found, larger ones shown;"
        " `subjects`: the fast model writes long pages anew, a section a subject (docs/splitting.md).",
    )
    chunk_tokens: int = setting(320, "Most tokens of a chunk's text.", ge=40, le=2000)
    overlap: float = setting(0.12, "Share of a chunk repeated in the next one, inside a section only.", ge=0, le=0.5)
    child_words: int = setting(200, "Most words of the chunks that are found, for `small2big`.", ge=20, le=1000)
    parent_words: int = setting(400, "Most words of the parents that are shown, for `small2big`.", ge=40, le=3000)
    contextual: bool = setting(
        False, "Have the fast model write for each chunk where in its document it stands; searched with it, not shown."
    )
    summary_prompt: str = setting(
        "", "What the model is told to summarise a document for that. Empty: a careful default."
    )
    context_prompt: str = setting(
        "", "What it is told to place a chunk by the summary and its neighbours. Empty: a default."
    )


class QuestionnaireItem(Settings):
    """One question of the questionnaire."""

    ask: str = setting(..., "The question, as the visitor reads it.", min_length=1)
    name: str = setting(..., "The answer's name, in the prompt and the console.", pattern=r"^[a-z][a-z0-9_]*$")
    kind: Literal["text", "email", "phone", "number", "choice"] = setting("text", "What counts as an answer.")
    choices: list[str] = setting([], "The allowed answers of kind `choice`.")
    required: bool = setting(False, "Whether it must be answered; else any word that skips is accepted.")
    once: bool = setting(True, "Asked once a conversation, not once a session.")
    context: bool = setting(True, "Whether the answer is replayed to the model.")

    @model_validator(mode="after")
    def _choices_for_choice(self) -> QuestionnaireItem:
        if self.kind == "choice" and len(self.choices) < 2:
            raise ValueError('kind = "choice" needs at least two choices')
        return self


class ChannelSettings(Settings):
    """What every channel's section has; each channel declares its own on top of it."""

    enabled: bool = setting(True, "Run the channel when its credentials are set.")


class LimitsSettings(Settings):
    """What one visitor may use."""

    per_visitor_minute: int = setting(20, "Messages of one visitor a minute.", ge=1)
    sessions_per_minute: int = setting(60, "New web visitors of one network address a minute.", ge=1)


class GapsSettings(Settings):
    """The missing-content log."""

    similarity: float = setting(0.6, "Least cosine of two questions that form one topic.", ge=0, le=1)


class PrivacySettings(Settings):
    """What is kept, and how long."""

    retention_days: int = setting(365, "Days after which conversations are erased; 0 keeps them.", ge=0)


class ServerSettings(Settings):
    """Where Frontdesk listens."""

    host: str = setting("127.0.0.1", "The address to listen on.")
    port: int = setting(8080, "The port to listen on.", ge=0, le=65535)
    public_url: str = setting(
        "", "The address that visitors and platforms use, as https://bot.example. Needed for webhooks."
    )
    trusted_proxies: int = setting(0, "Reverse proxies in front whose X-Forwarded-For is believed.", ge=0, le=5)


class DatabaseSettings(Settings):
    """Where the two databases are."""

    url: str = setting("", "The conversations' SQLite file. Empty: conversations.db in the data folder.")
    knowledge_url: str = setting("", "The knowledge's SQLite file. Empty: knowledge.db in the data folder.")


class Config(Settings):
    """A whole bot.

    `channels`: each known channel's settings, by its name. `secrets`: by the name of their variable in the environment, never
    printed. `addresses`: base URLs of outside services, by variable too; those that are set.
    """

    bot: BotSettings = BotSettings()
    model: ModelSettings = ModelSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    conversation: ConversationSettings = ConversationSettings()
    sources: list[SourceSettings] = []
    split: SplitSettings = SplitSettings()
    questionnaire: list[QuestionnaireItem] = []
    limits: LimitsSettings = LimitsSettings()
    gaps: GapsSettings = GapsSettings()
    privacy: PrivacySettings = PrivacySettings()
    server: ServerSettings = ServerSettings()
    database: DatabaseSettings = DatabaseSettings()
    channels: dict[str, Any] = Field(default={}, exclude=True)
    secrets: dict[str, SecretStr] = Field(default={}, exclude=True, repr=False)
    addresses: dict[str, str] = Field(default={}, exclude=True)
    data: str = Field(default="", exclude=True)
    folder: Path = Field(default=Path(), exclude=True)

    def secret(self, name: str) -> str:
        """A secret by its variable's name; empty when it isn't set."""
        value = self.secrets.get(name)
        return value.get_secret_value() if value else ""
