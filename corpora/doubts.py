"""The catalog's doubts: originals that perhaps no document needs any more."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import delete, exists, select

from corpora.chunks import chunks
from corpora.database import Database, insert_or_keep
from corpora.schema import documents, doubted_originals


class Doubts(Database):
    """What `Catalog` knows about originals that may go.

    An original is doubted in the transaction that takes a document away, and before it is stored for one. Only those
    are ever deleted: a catalog that was lost, or is another's, doubts none.
    """

    def doubt_original(self, sha256: str) -> None:
        """Note that this original may be one that no document needs, whatever happens next."""
        with self._writing() as connection:
            connection.execute(insert_or_keep(connection, doubted_originals), {"sha256": sha256})

    def doubted_originals(self) -> dict[str, bool]:
        """The doubted originals, and whether some document of some project needs each."""
        is_needed = exists().where(documents.c.sha256 == doubted_originals.c.sha256).label("is_needed")
        with self._reading() as connection:
            return {row.sha256: row.is_needed for row in connection.execute(select(doubted_originals, is_needed))}

    def settle_originals(self, hashes: Collection[str]) -> None:
        """Doubt these no longer: they are needed, or gone."""
        with self._writing() as connection:
            for some in chunks(hashes):
                connection.execute(delete(doubted_originals).where(doubted_originals.c.sha256.in_(some)))
