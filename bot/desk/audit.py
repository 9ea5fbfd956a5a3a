"""The table `audit`: who changed what."""

from __future__ import annotations

from retrieval.db import Tx, now


async def audited(tx: Tx, who: str, did: str, what: str) -> None:
    """A line in the audit, in the transaction of what was done."""
    await tx.run("INSERT INTO audit (at, who, did, what) VALUES ($1, $2, $3, $4)", now(), who, did, what)
