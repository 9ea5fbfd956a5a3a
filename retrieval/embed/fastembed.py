"""Any model of the fastembed package (extra `fastembed`), which downloads it at the first use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrieval.embed.embedder import Encode, Model, Vectors
from retrieval.errors import EmbedError


def fastembed_model(name: str) -> Model:
    """The model of that name in fastembed's list; raises EmbedError for an unknown name or without the extra."""
    try:
        from fastembed import TextEmbedding
    except ImportError as error:
        raise EmbedError(
            "[embedding] provider = \"fastembed\" needs the extra `fastembed`: pip install 'frontdesk[fastembed]'",
            permanent=True,
        ) from error
    known = {one["model"]: int(one["dim"]) for one in TextEmbedding.list_supported_models()}
    if name not in known:
        raise EmbedError(
            f"[embedding] name: fastembed has no model {name!r}; it has {', '.join(sorted(known))}", permanent=True
        )

    def load() -> Encode:
        model = TextEmbedding(name, threads=1)

        def encode(texts: Sequence[str], _language: str, question: bool) -> Vectors:
            found = np.array(list(model.query_embed(texts) if question else model.embed(texts)), np.float32)
            return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)

        return encode

    return Model(f"fastembed:{name}", known[name], 1.0, load)
