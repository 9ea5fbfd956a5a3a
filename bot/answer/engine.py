"""The conversation engine: one message in, a stream of events out, the last one the finished turn.

It reads and computes; the desk writes. Nothing here knows a channel, and no exception's words reach a visitor.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from secrets import token_hex
from typing import TYPE_CHECKING

from bot.answer import check, questionnaire
from bot.answer.cite import Citer, citations
from bot.answer.extract import extract
from bot.answer.phrases import PHRASES, phrase
from bot.answer.prompt import INSTRUCTION, NO_ANSWER, build, local_time
from bot.answer.rewrite import rewrite
from bot.answer.session import Memory, pruned, session
from bot.answer.turn import Conversation, Gap, GapReason, Turn, Usage
from bot.config import Config
from bot.errors import ConfigError, ModelError
from bot.messages import Delta, Message, Outcome, Rate, Reply
from retrieval.db import now
from retrieval.document import Found, Hit
from retrieval.errors import RetrievalError
from retrieval.knowledge import Knowledge
from retrieval.search.search import pack
from retrieval.text.language import detect
from retrieval.text.tokens import count

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam

    from bot.answer.model import LanguageModel

log = logging.getLogger(__name__)
CONTACT_PAGES = ("contact", "kontakt", "contacto", "contatti", "contato", "impressum", "about")
LEAST_COVERAGE = 0.5
"""Without a model, what was found is only quoted when it holds this share of the question's words by rarity."""
CODE_COVERAGE = 0.75
"""The same where a code of the question stands nowhere."""


class Engine:
    """One bot's conversations."""

    def __init__(self, config: Config, knowledge: Knowledge, model: LanguageModel | None) -> None:
        self._config = config
        self._knowledge = knowledge
        self._model = model
        self._rate = Rate(config.limits.per_visitor_minute)
        self._instruction = _instruction(config)

    async def answer(self, message: Message, conversation: Conversation) -> AsyncIterator[Delta | Turn]:
        """The answer's pieces as they come, then the turn."""
        language = self._language(message, conversation)
        turn = Turn(token_hex(8), "question", message.text, Reply(""), language, started_at=now())
        if message.kind == "command":
            yield self._command(message, conversation, turn)
        elif message.kind == "unsupported":
            yield self._says(turn, "unsupported")
        elif self._rate.wait(message.visitor):
            yield self._says(turn, "too_many", "refused")
        elif count(message.text) > self._config.conversation.max_request_tokens:
            yield self._says(replace(turn, question=message.text[:2000]), "too_long", "refused")
        elif asked := self._questionnaire(message, conversation, turn):
            yield asked
        else:
            waited = conversation.waiting_question if conversation.asked_item else ""
            question = waited or message.text
            async for event in self._question(replace(turn, question=question), conversation):
                yield event

    async def _question(self, turn: Turn, conversation: Conversation) -> AsyncIterator[Delta | Turn]:
        if not len(self._knowledge.index):
            yield self._says(turn, "failed", "failed")  # the first crawl is still under way: no gap
            return
        history = session(conversation.memory, datetime.now(UTC), self._config.conversation.session_timeout)
        turn.rewritten = await rewrite(turn.question, history, self._model)
        try:
            found = await self._knowledge.search(turn.rewritten, turn.language)
        except RetrievalError as error:
            log.warning("search failed, words alone are searched: %s", error)
            found = await self._knowledge.search(turn.rewritten, turn.language, mode="keyword")
        turn.confidence = found.confidence
        hits = pack(found.hits, self._config.retrieval.max_context_tokens)
        turn.prompt = self._prompt(turn, hits, history, conversation)
        if found.verdict == "nothing" or not hits:
            yield await self._no_answer(turn, found, "nothing_found")
        elif self._model is None:
            finished = await self._extracted(turn, found, hits)
            for piece in re.split(r"(?<=[.!?:])(?=\s)", finished.reply.text):
                yield Delta(piece)
            yield finished
        else:
            async for event in self._completed(turn, found, hits, self._model):
                yield event

    def _prompt(
        self, turn: Turn, hits: Sequence[Hit], history: Sequence[Memory], conversation: Conversation
    ) -> list[ChatCompletionMessageParam]:
        """What the model is sent."""
        return build(
            self._instruction,
            questionnaire.replayed(self._config.questionnaire, conversation.answers),
            hits,
            pruned(history, self._config.conversation.max_session_items),
            turn.question,
            now=local_time(self._config.bot.timezone),
        )

    async def _completed(
        self,
        turn: Turn,
        found: Found,
        hits: Sequence[Hit],
        model: LanguageModel,
    ) -> AsyncIterator[Delta | Turn]:
        turn.model, turn.context_tokens = model.name, sum(hit.tokens for hit in hits)
        citer, usage, text, raw, begun = Citer(len(hits)), Usage(), "", "", False
        try:
            async for piece in model.stream(turn.prompt, usage):
                raw += piece
                if not begun and NO_ANSWER.startswith(raw.strip()[: len(NO_ANSWER)]):
                    continue
                ready = citer.feed(piece if begun else raw)
                begun = True
                text += ready
                if ready:
                    yield Delta(ready)
        except ModelError as error:
            log.warning("the model failed, the best sentences are given: %s", error)
            yield await self._extracted(turn, found, hits)
            return
        text = (text + ("" if begun else citer.feed(raw)) + citer.finish()).strip()
        turn.prompt_tokens, turn.completion_tokens = (
            usage.prompt or sum(count(str(part["content"])) for part in turn.prompt),
            usage.completion or count(raw),
        )
        if NO_ANSWER in raw or not text:
            yield await self._no_answer(turn, found, "not_covered")
        else:
            yield await self._checked(turn, found, hits, text, citer.order)

    async def _checked(self, turn: Turn, found: Found, hits: Sequence[Hit], text: str, order: Sequence[int]) -> Turn:
        """The model's text when all its figures stand in the sources; else the sources' own words."""
        sources = [turn.question, *(f"{hit.title} {hit.url}\n{hit.text}" for hit in hits)]
        wrong = check.unsupported(text, sources)
        if wrong:
            log.info("an answer held %d figures that no source holds; the best sentences are given", len(wrong))
            return await self._extracted(turn, found, hits)
        text = check.without_foreign_links(text, sources)
        cited = citations(text, order, hits)
        turn.hits, turn.cited = hits, frozenset(order)
        turn.reply = Reply(text, "answered", turn.id, cited, language=turn.language, rateable=True)
        return _finished(turn)

    async def _extracted(self, turn: Turn, found: Found, hits: Sequence[Hit]) -> Turn:
        covered = max((hit.coverage for hit in hits[:3]), default=0.0)
        if covered < self._least_coverage(found, turn.language):
            return await self._no_answer(turn, found, "nothing_found")
        embedder = self._knowledge.index.embedder
        weights = self._knowledge.weights(turn.rewritten, turn.language)
        text, cited = await extract(turn.rewritten, turn.language, hits, weights, embedder)
        if not text:
            return await self._no_answer(turn, found, "nothing_found")
        turn.hits = hits
        turn.cited = frozenset(at for at, hit in enumerate(hits, 1) if any(item.url == hit.url for item in cited))
        text = f"{phrase(turn.language, 'found')}\n\n{text}"
        turn.reply = Reply(text, "answered", turn.id, cited, language=turn.language, rateable=True)
        return _finished(turn)

    def _least_coverage(self, found: Found, language: str) -> float:
        """Meaning alone finds neighbours of what is asked; its words must be there too where the pages speak its language."""
        if found.mode == "semantic" or language not in self._knowledge.index.languages:
            return 0.0
        if found.best.get("exact", 0) < 0:  # the price of another article is no answer
            return CODE_COVERAGE
        return LEAST_COVERAGE if found.verdict == "uncertain" else LEAST_COVERAGE / 4

    async def _no_answer(self, turn: Turn, found: Found, reason: GapReason) -> Turn:
        """An honest no in the asker's language, with a next step; the gap goes on the owner's list."""
        turn.hits = found.hits[:5]
        turn.gap = Gap(reason, turn.rewritten or turn.question, found)
        text = f"{phrase(turn.language, 'no_answer')}\n\n{await self._next_step(turn.language)}"
        turn.reply = Reply(text, "no_answer", turn.id, language=turn.language, rateable=True)
        return _finished(turn)

    async def _next_step(self, language: str) -> str:
        if self._config.bot.contact:
            return phrase(language, "next_contact", contact=self._config.bot.contact)
        page = await self._knowledge.page_named(CONTACT_PAGES)
        if page is None:
            return phrase(language, "next_none")
        title, url = page
        return phrase(language, "next_page", contact=f"[{title}]({url})")

    def _command(self, message: Message, conversation: Conversation, turn: Turn) -> Turn:
        turn.kind = "command"
        turn.question = f"/{message.command}"
        if message.command == "reset":
            turn.reset = True
            turn.answers = questionnaire.forgotten(self._config.questionnaire, conversation.answers)
        key = {"start": "greeting", "reset": "reset", "stop": "stopped"}.get(message.command, "help")
        text = phrase(turn.language, key, name=self._config.bot.name)
        if key == "greeting" and self._config.bot.greeting:
            text = self._config.bot.greeting
        first = questionnaire.due(self._config.questionnaire, turn.answers or conversation.answers)
        if first and key in ("greeting", "reset"):
            turn.asked_item, text = first.name, f"{text}\n\n{first.ask}"
        starters = tuple(self._config.bot.starters) if key == "greeting" and not first else ()
        choices = tuple(first.choices) if turn.asked_item and first else ()
        turn.reply = Reply(text, "answered", turn.id, suggestions=starters, choices=choices, language=turn.language)
        return _finished(turn)

    def _questionnaire(self, message: Message, conversation: Conversation, turn: Turn) -> Turn | None:
        """The turn that asks the next question, or None when the questionnaire is done and a question can be answered."""
        questions, answers = self._config.questionnaire, dict(conversation.answers)
        turn.waiting_question = conversation.waiting_question
        pending = next((item for item in questions if item.name == conversation.asked_item), None)
        if pending:
            value, problem = questionnaire.judged(pending, message.text)
            if value is None:
                choices = " · ".join(pending.choices)
                return self._asks(turn, pending.name, phrase(turn.language, problem, choices=choices), pending.choices)
            answers[pending.name] = value
            turn.answers = answers
        elif questionnaire.due(questions, answers):
            turn.waiting_question = message.text
        following = questionnaire.due(questions, answers)
        if following:
            return self._asks(turn, following.name, following.ask, following.choices)
        if pending and not turn.waiting_question:
            turn.kind = "questionnaire"
            return self._says(turn, "ready")
        return None

    def _asks(self, turn: Turn, name: str, text: str, choices: Sequence[str]) -> Turn:
        turn.kind, turn.asked_item = "questionnaire", name
        turn.reply = Reply(text, "answered", turn.id, choices=tuple(choices), language=turn.language)
        return _finished(turn)

    def _says(self, turn: Turn, key: str, outcome: Outcome = "answered") -> Turn:
        turn.kind = "command" if turn.kind == "question" else turn.kind
        turn.reply = Reply(phrase(turn.language, key), outcome, turn.id, language=turn.language)
        return _finished(turn)

    def _language(self, message: Message, conversation: Conversation) -> str:
        hint = conversation.language or message.language
        among = self._knowledge.index.languages
        found = detect(message.text, hint, among) if message.kind == "text" else hint or next(iter(among), "en")
        allowed = self._config.bot.languages
        if allowed != "auto" and found not in allowed:
            return allowed[0] if allowed else "en"
        return found if found in PHRASES or self._model or found in among else (hint or "en")


def _finished(turn: Turn) -> Turn:
    turn.question_tokens, turn.answer_tokens = count(turn.question), count(turn.reply.text)
    return turn


def _instruction(config: Config) -> str:
    if config.bot.instruction_file:
        file = config.folder / config.bot.instruction_file
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError([f"bot.instruction_file: {file} can't be read as text"]) from error
    return config.bot.instruction or INSTRUCTION.replace("$name", config.bot.name)
