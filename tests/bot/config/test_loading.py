"""Configuration: every problem at once, secrets from the environment only."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot import app
from bot.app import configured
from bot.errors import ConfigError


def written(folder: Path, text: str) -> Path:
    file = folder / "frontdesk.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_defaults_are_those_of_the_interface() -> None:
    config = configured(None, {})
    assert config.retrieval.threshold == 0.3
    assert config.retrieval.max_context_tokens == 2000
    assert (config.conversation.max_session_items, config.conversation.session_timeout) == (15, 1200)
    assert (config.server.host, config.server.port) == ("127.0.0.1", 8080)
    assert config.model.max_tokens == 4000
    assert config.conversation.max_request_tokens == 1000


def test_the_environment_overrides_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, '[retrieval]\nmode = "semantic"\n')
    assert configured(file, {"FRONTDESK_RETRIEVAL__MODE": "keyword"}).retrieval.mode == "keyword"
    assert configured(file, {"FRONTDESK_CHANNELS__WEB__ORIGINS": '["https://a.example"]'}).channels["web"].origins == [
        "https://a.example"
    ]


def test_all_problems_are_told_at_once_with_file_and_key(tmp_path: Path) -> None:
    file = written(
        tmp_path, '[retrieval]\nmode = "magic"\nthreshhold = 1\n[kitchen]\nsink = 1\n[[sources]]\nevery = "soon"\n'
    )
    with pytest.raises(ConfigError) as caught:
        configured(file, {"FRONTDESK_NONSENSE": "1"})
    told = "\n".join(caught.value.problems)
    assert len(caught.value.problems) >= 5
    for part in (
        "retrieval.mode: input should be 'hybrid'",
        "retrieval.threshhold: there is no such key",
        "[kitchen]",
        "sources.0.every",
    ):
        assert part in told
    assert "FRONTDESK_NONSENSE" in told
    assert str(file) in told


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ('rerank = "onnx"', "needs rerank_path"),
        ('rerank = "remote"', "needs rerank_model"),
        ('rerank = "remote"\nrerank_dialect = "tei"', "needs rerank_url"),
        ('rerank = "magic"', "retrieval.rerank"),
    ],
)
def test_a_re_ranker_needs_what_names_it(tmp_path: Path, toml: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        configured(written(tmp_path, f"[retrieval]\n{toml}\n"), {})


def test_a_broken_or_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not valid TOML"):
        configured(written(tmp_path, "[bot\n"), {})
    with pytest.raises(ConfigError, match="there is no such file"):
        configured(tmp_path / "none.toml", {})


def test_a_source_needs_exactly_one_place(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="set either url or path"):
        configured(written(tmp_path, '[[sources]]\nurl = "https://a.example"\npath = "b"\n'), {})


def test_a_password_in_a_source_is_refused_without_being_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="user name or password") as caught:
        configured(written(tmp_path, '[[sources]]\nurl = "https://me:hush@shop.example/"\n'), {})
    assert "hush" not in str(caught.value)
    configured(written(tmp_path, '[[sources]]\nurl = "https://shop.example/@team"\n'), {})


def test_secrets_come_from_the_environment_or_a_file_and_never_show(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("12345:secret-of-the-bot\n", encoding="utf-8")
    config = configured(None, {"OPENAI_API_KEY": "sk-very-secret", "FRONTDESK_TELEGRAM_TOKEN_FILE": str(file)})
    assert config.secret("OPENAI_API_KEY") == "sk-very-secret"
    assert config.secret("FRONTDESK_TELEGRAM_TOKEN") == "12345:secret-of-the-bot"
    assert "secret-of-the-bot" not in repr(config)
    assert "sk-very-secret" not in f"{config} {config.model_dump()}"


def test_secrets_in_the_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="secrets"):
        configured(written(tmp_path, '[secrets]\nopenai_api_key = "x"\n'), {})


def test_a_missing_secret_file_is_a_sentence() -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY_FILE: can't be read"):
        configured(None, {"OPENAI_API_KEY_FILE": "/nowhere/key"})


def test_a_dotenv_beside_the_file_is_read(tmp_path: Path) -> None:
    file = written(tmp_path, "")
    (tmp_path / ".env").write_text(
        '# a comment\nexport FRONTDESK_OWNER_PASSWORD="tide table"\nBROKEN\n', encoding="utf-8"
    )
    assert configured(file).secret("FRONTDESK_OWNER_PASSWORD") == "tide table"


def test_what_channels_read_from_the_environment_is_named_like_everything_else() -> None:
    names = [name for channel in app.declarations() for name in (*channel.secrets, *channel.addresses)]
    assert "FRONTDESK_TELEGRAM_TOKEN" in names
    assert all(name.startswith("FRONTDESK_") for name in names)


def test_a_time_zone_must_exist() -> None:
    with pytest.raises(ConfigError, match=r"bot\.timezone: 'Mars' is not a time zone"):
        configured(None, {"FRONTDESK_BOT__TIMEZONE": "Mars"})
