"""The floor: how likely it is that what was found answers the question. Read off raw scores, never off a fused one.

Two signals: the best cosine, as standard deviations above what questions without any relation reach on this very index
(measured at the end of each crawl), and the share of the question's words, by rarity, that the best hits hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.db import now
from retrieval.document import Verdict
from retrieval.index import Index

OFF_TOPIC = (
    "What is the capital of Peru?", "How do I boil an egg?", "Who won the football match last night?",
    "Translate good morning into Japanese", "What is the square root of 1764?", "Tell me a joke about penguins",
    "How far away is the moon?", "Which planet has the most rings?", "Write a poem about autumn leaves",
    "How do I change the oil in my car?", "What rhymes with orange?", "Who painted the Mona Lisa?",
    "How many calories are in a banana?", "What is the meaning of life?", "How do volcanoes erupt?",
    "Set an alarm for six in the morning", "Play some quiet piano music", "What is my horoscope for today?",
    "How do I get rid of ants in the kitchen?", "Which team leads the league?", "Explain quantum entanglement",
    "What is the exchange rate of the yen?", "How do I knit a scarf?", "When did the Roman empire fall?",
    "Is it going to snow tomorrow?", "Recommend a film for tonight", "How do I reset my router at home?",
    "What does my dream about flying mean?", "How tall is the tallest building?", "Who is the president of France?",
    "How do bees make honey?", "Find me a flight to Oslo", "What is the best chess opening?",
    "How do I remove red wine from a carpet?", "Are you a real person?", "How old is the universe?",
    "Teach me to play the guitar", "What year was the telephone invented?", "How do I write a will?",
    "Why is the sky blue?", "Which vaccine do I need for Kenya?", "How do I train a puppy to sit?",
    "Wie heißt die Hauptstadt von Australien?", "Wie backe ich einen Apfelkuchen?", "Erzähl mir einen Witz",
    "Wer hat die Glühbirne erfunden?", "Wie wird das Wetter auf dem Mars?", "Welche Aktie soll ich kaufen?",
    "¿Cuál es la capital de Canadá?", "¿Cómo se hace una tortilla de patatas?", "Cuéntame un chiste",
    "¿Quién escribió Don Quijote?", "¿Por qué el cielo es azul?", "¿Qué acciones debo comprar?",
    "Quelle est la capitale de la Hongrie ?", "Comment faire une mayonnaise ?", "Qui a peint la Joconde ?",
    "Qual è la montagna più alta del mondo?", "Come si prepara il tiramisù?", "Quem descobriu o Brasil?",
    "Wat is de hoofdstad van Noorwegen?", "Какая столица Японии?", "日本の首都はどこですか", "世界上最高的山是哪座",
)  # fmt: skip

SEMANTIC = (-0.6, 0.53, 0.0)
HYBRID = (-1.6, 0.43, 2.8)
KEYWORD = (-2.0, 0.0, 5.0)
"""Logistic coefficients: constant, deviations above off-topic, coverage. benchmarks/floor.py fits the second and third."""
UNCERTAIN = 0.2
"""How far above the floor an answer still counts as uncertain."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What questions without any relation reach on this index: mean and deviation of their best cosine."""

    mean: float = 0.2
    deviation: float = 0.08


async def calibrate(index: Index) -> Calibration:
    """Measure the off-topic questions on the index and store the result with the model's name."""
    if index.embedder is None or not len(index):
        return Calibration()
    best = [float(scores.max()) for question in OFF_TOPIC if len(scores := (await index.semantic(question))[1])]
    if not best:
        return Calibration()
    found = Calibration(float(np.mean(best)), max(float(np.std(best)), 0.01))
    async with index.db.write() as tx:
        await tx.run(
            "INSERT INTO calibrations VALUES ($1, $2, $3, $4, $5) ON CONFLICT (model) DO UPDATE SET"
            " off_topic_mean = $2, off_topic_deviation = $3, chunks = $4, made_at = $5",
            index.embedder.name,
            found.mean,
            found.deviation,
            len(index),
            now(),
        )
    return found


async def stored(index: Index) -> Calibration:
    """The last measured calibration for the index's model, or a careful default."""
    if index.embedder is None:
        return Calibration()
    row = await index.db.one("SELECT * FROM calibrations WHERE model = $1", index.embedder.name)
    return Calibration(row["off_topic_mean"], row["off_topic_deviation"]) if row else Calibration()


def confidence(mode: str, cosine: float, coverage: Sequence[float], calibration: Calibration) -> float:
    """The estimated probability, 0 to 1, that the best hits answer the question.

    `cosine`: the best raw one. `coverage`: of the first hits, each the share of the question's words by rarity, 0 to 1.
    """
    constant, per_deviation, per_coverage = {"semantic": SEMANTIC, "keyword": KEYWORD}.get(mode, HYBRID)
    above = (cosine - calibration.mean) / calibration.deviation
    logit = constant + per_deviation * min(above, 6.0) + per_coverage * max(coverage, default=0.0)
    return 1 / (1 + math.exp(-logit))


def verdict(confidence_: float, floor: float) -> Verdict:
    """nothing under the floor, uncertain just above it, answerable beyond."""
    if confidence_ < floor:
        return "nothing"
    return "uncertain" if confidence_ < min(floor + UNCERTAIN, 0.95) else "answerable"
