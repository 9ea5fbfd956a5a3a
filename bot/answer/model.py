"""The language model, through the `openai` package against any OpenAI-compatible server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import openai
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

from bot.answer.turn import Usage
from bot.config.settings import ModelSettings
from bot.errors import ModelError
from retrieval.errors import WriteError

Messages = Sequence[ChatCompletionMessageParam]
SHORT_ANSWER_TOKENS = 200
SHORT_ANSWER_SECONDS = 8.0
"""What the fast model may take to rewrite a question while a visitor waits; chosen by hand."""


class LanguageModel:
    """One configured model."""

    def __init__(self, client: openai.AsyncOpenAI, settings: ModelSettings) -> None:
        self._client = client
        self._settings = settings

    @property
    def name(self) -> str:
        """The model's name, for the log of turns."""
        return self._settings.name

    async def stream(self, messages: Messages, usage: Usage) -> AsyncIterator[str]:
        """The answer's pieces as they come; `usage` is filled at the end. Raises ModelError."""
        try:
            stream = await self._client.chat.completions.create(
                model=self._settings.name,
                messages=list(messages),
                temperature=self._settings.temperature,
                max_tokens=self._settings.max_tokens,
                stream=True,
                stream_options={"include_usage": True},
            )
            async with stream:
                pieces = aiter(stream)
                while piece := await self._next(pieces):
                    if piece.usage:
                        usage.prompt, usage.completion = (
                            piece.usage.prompt_tokens,
                            piece.usage.completion_tokens,
                        )
                    if piece.choices and piece.choices[0].delta.content:
                        yield piece.choices[0].delta.content
        except (openai.OpenAIError, TimeoutError, ValueError) as error:
            raise _failure(error) from error

    async def short(self, messages: Messages) -> str:
        """A short text from the fast model, or ModelError within a few seconds."""
        try:
            async with asyncio.timeout(SHORT_ANSWER_SECONDS):
                answer = await self._client.chat.completions.create(
                    model=self._settings.fast_name or self._settings.name,
                    messages=list(messages),
                    temperature=0,
                    max_tokens=SHORT_ANSWER_TOKENS,
                )
        except (openai.OpenAIError, TimeoutError, ValueError) as error:
            raise _failure(error) from error
        return (answer.choices[0].message.content or "") if answer.choices else ""

    async def write(self, instruction: str, text: str, most_tokens: int) -> str:
        """The whole answer of the fast model, for the library; WriteError when it failed or was cut off."""
        pieces, reason = [], ""
        try:
            stream = await self._client.chat.completions.create(
                model=self._settings.fast_name or self._settings.name,
                messages=[{"role": "system", "content": instruction}, {"role": "user", "content": text}],
                temperature=0,
                max_tokens=most_tokens,
                stream=True,
            )
            async with stream:
                source = aiter(stream)
                while piece := await self._next(source):
                    for choice in piece.choices[:1]:
                        pieces.append(choice.delta.content or "")
                        reason = choice.finish_reason or reason
        except (openai.OpenAIError, TimeoutError, ValueError) as error:
            raise WriteError(str(_failure(error))) from error
        if reason != "stop":
            raise WriteError(f"the model's answer was cut off ({reason or 'the connection ended'})")
        return "".join(pieces)

    async def _next(self, pieces: AsyncIterator[ChatCompletionChunk]) -> ChatCompletionChunk | None:
        """The next piece of a stream, None at its end; TimeoutError after too long a silence."""
        async with asyncio.timeout(self._settings.timeout):
            return await anext(pieces, None)


def _failure(error: Exception) -> ModelError:
    if isinstance(error, openai.APIStatusError):
        seconds = error.response.headers.get("retry-after", "")
        return ModelError(
            f"the model's server answered {error.status_code}",
            permanent=error.status_code in (400, 401, 403, 404),
            retry_after=float(seconds) if seconds.replace(".", "", 1).isdigit() else None,
        )
    return ModelError(f"the model's server can't be used ({type(error).__name__})")


@asynccontextmanager
async def opened(settings: ModelSettings, api_key: str) -> AsyncIterator[LanguageModel]:
    """The configured model."""
    async with openai.AsyncOpenAI(
        base_url=settings.base_url or None, api_key=api_key or "none", max_retries=1, timeout=settings.timeout
    ) as client:
        yield LanguageModel(client, settings)
