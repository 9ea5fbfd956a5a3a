"""Whether chunks, words and vectors agree: what `frontdesk db check` and `doctor` say of the index."""

from __future__ import annotations

from retrieval.db import Database
from retrieval.errors import DatabaseError

CHECKS = (
    (
        "SELECT count(*) AS n FROM chunks WHERE id NOT IN (SELECT rowid FROM chunk_words)",
        "{n} chunks without words; crawl again",
    ),
    (
        "SELECT count(*) AS n FROM chunk_words WHERE rowid NOT IN (SELECT id FROM chunks)",
        "{n} words of chunks that are no more; crawl again",
    ),
    (
        "SELECT count(*) AS n FROM embeddings WHERE chunk_id NOT IN (SELECT id FROM chunks)",
        "{n} vectors of chunks that are no more; crawl again",
    ),
    (
        "SELECT count(*) AS n FROM embeddings WHERE length(vector) <> 4 * dimension",
        "{n} vectors are cut off; restore a backup, or delete the knowledge database and crawl again",
    ),
    (
        "SELECT count(*) AS n FROM (SELECT model FROM embeddings GROUP BY model HAVING min(dimension) <> max(dimension))",
        "{n} models have vectors of several lengths; choose another name in [embedding] for one of them and crawl again",
    ),
    (
        "SELECT count(*) AS n FROM chunks WHERE parent_id IS NOT NULL AND parent_id NOT IN (SELECT id FROM parents)",
        "{n} chunks without their parents; crawl again",
    ),
    (
        "SELECT count(*) AS n FROM (SELECT document_id FROM chunks GROUP BY document_id"
        " HAVING min(position) <> 0 OR max(position) <> count(*) - 1)",
        "{n} documents whose chunks aren't numbered without gaps; crawl again",
    ),
    (
        "SELECT count(*) AS n FROM documents d WHERE tombstoned_at IS NOT NULL"
        " AND EXISTS (SELECT 1 FROM chunks WHERE document_id = d.id)",
        "{n} documents are gone, but their chunks are not; crawl again",
    ),
)
"""A count of rows that disagree, and the sentence for the owner when there are any."""


async def problems(db: Database, model: str) -> list[str]:
    """A sentence for each problem of a knowledge database, none when all agree.

    `model`: the name of the one whose vectors each chunk should have; empty in keyword mode.
    """
    sentences = []
    for sql, sentence in CHECKS:
        row = await db.one(sql)
        if row and row["n"]:
            sentences.append(sentence.format(n=row["n"]))
    if model:
        lacking = await db.one(
            "SELECT count(*) AS n FROM chunks WHERE id NOT IN (SELECT chunk_id FROM embeddings WHERE model = $1)", model
        )
        if lacking and lacking["n"]:
            sentences.append(f"{lacking['n']} chunks have no vector of {model}; crawl again to make them")
    return sentences + await _full_text_problems(db)


async def _full_text_problems(db: Database) -> list[str]:
    """What FTS5 says of its own index beside its rows: only the statement below makes it compare them."""
    try:
        async with db.write() as tx:
            await tx.run("INSERT INTO chunk_words (chunk_words) VALUES ('integrity-check')")
    except DatabaseError as error:  # the only way in which FTS5 says that they differ
        return [
            f"the words' index is damaged ({error.reason}); restore a backup, or delete the knowledge database and crawl again"
        ]
    return []
