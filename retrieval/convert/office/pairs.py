"""Questions and answers in two columns, however their file is made: each question a heading above its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from retrieval.convert.office.writing import Blocks

QUESTION = re.compile(
    r"(faq\W*)?(questions?|q|frage|fragen|preguntas?|questions? posées?|domanda|domande|perguntas?|vraag|vragen|pytanie|pytania"
    r"|fråga|frågor|soru|sorular|質問|问题|問題|вопросы?)\W*",
    re.I,
)
ANSWER = re.compile(
    r"(answers?|a|antworten|antwort|respuestas?|réponses?|reponses?|risposta|risposte|respostas?|antwoord|antwoorden|odpowiedź"
    r"|odpowiedzi|svar|cevap|cevaplar|回答|答案|ответы?)\W*",
    re.I,
)
FIGURE = re.compile(r"\W*\w{0,4}\W*\d[\d\s.,:%/-]*\W*\w{0,6}\W*")
MARKS = ("?", "？", "؟")

Rows = Sequence[Sequence[str]]


def are_pairs(rows: Rows) -> bool:
    """Two columns are questions and answers, unless they are names with figures under another header."""
    if are_questions(rows):
        return True
    if not rows or len(rows[0]) != 2:
        return False
    return sum(bool(FIGURE.fullmatch(row[1])) for row in rows) < 0.6 * len(rows)


def are_questions(rows: Rows) -> bool:
    """Two columns that say of themselves what they are: by their header, or by question marks."""
    if not rows or len(rows[0]) != 2:
        return False
    return _is_header(rows[0]) or any(row[0].rstrip().endswith(MARKS) for row in rows)


def write_pairs(blocks: Blocks, rows: Rows, level: int = 2) -> None:
    """The pairs; a header is none."""
    for question, answer in rows[1:] if _is_header(rows[0]) else rows:
        blocks.heading(level, question)
        blocks.paragraph(answer)


def _is_header(row: Sequence[str]) -> bool:
    """Both names are known, or one is and the other is as short as a name."""
    question, answer = (cell.strip() for cell in row)
    known = bool(QUESTION.fullmatch(question)) + bool(ANSWER.fullmatch(answer))
    return known == 2 or (known == 1 and max(len(question), len(answer)) <= 20 and not question.endswith(MARKS))
