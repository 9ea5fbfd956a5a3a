"""Any model of the fastembed package (extra `fastembed`), which downloads it at the first use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrieval.embed.embedder import EmbeddingModel, Encode, Vectors, extra_missing, unit
from retrieval.errors import EmbedError


def fastembed_model(name: str) -> EmbeddingModel:
    """The model of that name in fastembed's list; raises EmbedError for an unknown name or without the extra."""
    try:
        from fastembed import TextEmbedding
    except ImportError as error:
        raise extra_missing("fastembed") from error
    dimensions = {model["model"]: int(model["dim"]) for model in TextEmbedding.list_supported_models()}
    if name not in dimensions:
        raise EmbedError(
            f"[embedding] name: fastembed has no model {name!r}; it has {', '.join(sorted(dimensions))}", permanent=True
        )

    def load() -> Encode:
        model = TextEmbedding(name, threads=1)

        def encode(texts: Sequence[str], _language: str, question: bool) -> Vectors:
            return unit(np.array(list(model.query_embed(texts) if question else model.embed(texts)), np.float32))

        return encode

    return EmbeddingModel(f"fastembed:{name}", dimensions[name], 1.0, load)
