"""Recognises questions and answers in two columns, and writes each question as a heading above its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from retrieval.convert.office.tables import CellRows
from retrieval.convert.office.writing import BlockWriter

# How the columns are called in some fifteen languages.
QUESTION_HEADER = re.compile(
    r"(faq\W*)?(questions?|q|frage|fragen|preguntas?|questions? posées?|domanda|domande|perguntas?|vraag|vragen|pytanie|pytania"
    r"|fråga|frågor|soru|sorular|質問|问题|問題|вопросы?)\W*",
    re.I,
)
ANSWER_HEADER = re.compile(
    r"(answers?|a|antworten|antwort|respuestas?|réponses?|reponses?|risposta|risposte|respostas?|antwoord|antwoorden|odpowiedź"
    r"|odpowiedzi|svar|cevap|cevaplar|回答|答案|ответы?)\W*",
    re.I,
)
# A price, a time, a size: few letters around digits. Such a second column makes a table, not answers.
FIGURE_CELL = re.compile(r"\W*\w{0,4}\W*\d[\d\s.,:%/-]*\W*\w{0,6}\W*")
CELL_QUESTION_MARKS = ("?", "？", "؟")


def are_pairs(rows: CellRows) -> bool:
    """Whether the rows of a CSV file are questions and answers: two columns, unless the second is mostly figures."""
    if are_questions(rows):
        return True
    if not rows or len(rows[0]) != 2:
        return False
    return sum(bool(FIGURE_CELL.fullmatch(row[1])) for row in rows) < 0.6 * len(rows)


def are_questions(rows: CellRows) -> bool:
    """Whether two columns say that they are questions and answers: by their header, or by question marks."""
    if not rows or len(rows[0]) != 2:
        return False
    return _is_header(rows[0]) or any(row[0].rstrip().endswith(CELL_QUESTION_MARKS) for row in rows)


def write_pairs(blocks: BlockWriter, rows: CellRows, level: int = 2) -> None:
    """Write the pairs, each question as a heading of a level; a header is left out."""
    for question, answer in rows[1:] if _is_header(rows[0]) else rows:
        blocks.heading(level, question)
        blocks.paragraph(answer)


def _is_header(row: Sequence[str]) -> bool:
    """Whether a row is a header: both names are known ones, or one is and the other is as short as a name."""
    question, answer = (cell.strip() for cell in row)
    known_names = bool(QUESTION_HEADER.fullmatch(question)) + bool(ANSWER_HEADER.fullmatch(answer))
    return known_names == 2 or (
        known_names == 1 and max(len(question), len(answer)) <= 20 and not question.endswith(CELL_QUESTION_MARKS)
    )
