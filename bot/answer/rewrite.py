"""A follow-up becomes a question that stands alone: by its shape and the question before, or by the fast model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.answer.session import Memory
from bot.errors import ModelError
from retrieval.text.stopwords import STOPWORDS

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam

    from bot.answer.model import LanguageModel

OPENERS = re.compile(
    r"^(and|what about|how about|or|but|also|und|oder|aber|was ist mit|wie ist es mit|wie sieht es mit|auch|y|¿\s*y|o|¿\s*o|pero"
    r"|qué tal|et|ou|mais|e|ed|ma|en|ook)\b",
    re.I,
)
POINTERS = frozenset(
    "it its that this those these they them same dafür davon damit dazu denen dieser diese dieses"  # noqa: SIM905
    " eso esa ese esto ello ellos ellas ça cela ceux celui quello quella".split()
)
QUESTION_WORD = re.compile(r"\w+")
STOPWORDS_OF_ALL = frozenset(word for words in STOPWORDS.values() for word in words)
REWRITE_INSTRUCTION = (
    "Rewrite the visitor's last question so that it can be understood without the conversation. Keep its language and all"
    " names and numbers. Answer with the question alone. If it stands alone already, repeat it unchanged."
)


def is_follow_up(question: str) -> bool:
    """Whether the question leans on the one before: it opens with a joining word, points back, or names no subject."""
    words = [word.lower() for word in QUESTION_WORD.findall(question)]
    subject = [word for word in words if word not in STOPWORDS_OF_ALL]
    if OPENERS.match(question.strip()) and len(subject) <= 5:
        return True
    if len(words) <= 8 and any(word in POINTERS for word in words) and len(subject) <= 1:
        return True
    return not subject


def joined(question: str, before: str) -> str:
    """The question with the one before it, so that both legs of the search see the subject."""
    return f"{before.strip()} {question.strip()}"


async def rewrite(question: str, session: Sequence[Memory], model: LanguageModel | None) -> str:
    """The question as it stands alone; by the model where there is one, and by joining when it fails."""
    if not session or not is_follow_up(question):
        return question
    before = session[-1]
    if model is None:
        return joined(question, before.standalone)
    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": REWRITE_INSTRUCTION},
        {
            "role": "user",
            "content": f"Earlier question: {before.standalone}\nAnswer: {before.answer[:600]}\nLast question: {question}",
        },
    ]
    try:
        text = await model.short(messages)
    except ModelError:
        return joined(question, before.standalone)
    return text.strip().strip('"') if 0 < len(text.strip()) < 500 else joined(question, before.standalone)
