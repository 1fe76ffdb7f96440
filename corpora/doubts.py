"""The catalog's doubts: originals that perhaps no document needs any more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager

from sqlalchemy import URL, Connection, delete, select

from corpora.chunks import chunks
from corpora.database import Database
from corpora.schema import documents, doubted_originals
from corpora.statements import HELD_DOUBT, doubt

# Each once: thousands of documents may be the same file, and nobody else writes to a data directory meanwhile.
_of_documents = select(documents.c.sha256).distinct()
_LONGEST_S = 1200  # longer than a write waits for its turn: a process that hangs keeps an original so long from others


class Doubts(Database):
    """What `Catalog` knows about originals that may go.

    An original is doubted in the transaction that takes a document away, and before it is stored for one. Only those
    are ever deleted: a catalog that was lost, or is another's, doubts none, also while its documents are brought back.
    """

    def __init__(self, database_url: str | URL) -> None:
        super().__init__(database_url)
        self._being_stored: list[str] = []  # of a data directory, which has one owner

    @contextmanager
    def storing_original(self, sha256: str, is_kept: Callable[[str], bool]) -> Generator[None]:
        """Doubt this original, whatever happens next, and let nobody settle that doubt before the end.

        In a data directory one that is kept already is doubted by whoever doubted it before, or by nobody.
        """
        if self.is_shared:
            with self._doubting(sha256):
                yield
            return
        self._being_stored.append(sha256)
        try:
            with self._writing() as connection:
                if not is_kept(sha256):
                    doubt(connection, sha256)
            yield
        finally:
            self._being_stored.remove(sha256)

    @contextmanager
    def _doubting(self, sha256: str) -> Generator[None]:
        """The same for all servers: the doubt's row is held, on a connection of its own."""
        while True:
            with self._writing() as connection:
                doubt(connection, sha256)
            with self._standing() as connection:
                if connection.scalar(HELD_DOUBT, {"sha256": sha256}) is not None:  # else it was settled in between
                    yield
                    return

    @contextmanager
    def _standing(self) -> Generator[Connection]:
        """As `_writing`, for a transaction that says nothing while others are made."""
        with self._writing() as connection:
            if self.is_shared:
                connection.exec_driver_sql(f"SET LOCAL idle_in_transaction_session_timeout = '{_LONGEST_S}s'")
            yield connection

    def doubted_originals(self) -> list[list[str]]:
        """The hashes of originals that may be ones that no document needs, some at a time to be settled."""
        with self._reading() as connection:
            return list(chunks(connection.scalars(select(doubted_originals.c.sha256))))

    @contextmanager
    def settling_originals(self, some: Collection[str]) -> Generator[set[str]]:
        """Those of some doubted originals that no document needs: delete them meanwhile; then nobody doubts them more.

        Those are left out that somebody stores or takes from a document just now, who settles them afterwards. What
        cannot be deleted is to be taken out of the set: it is doubted on.
        """
        with self._standing() as connection:
            # Only what is not being written is held; what was written before that is then seen by the next statement.
            these = select(doubted_originals.c.sha256).where(doubted_originals.c.sha256.in_(some))
            found = connection.scalars(these.with_for_update(skip_locked=True)).all()
            settled = [sha256 for sha256 in found if sha256 not in self._being_stored]
            needed = set(connection.scalars(_of_documents.where(documents.c.sha256.in_(settled))))
            yield (unneeded := set(settled) - needed)
            over = needed | unneeded
            connection.execute(delete(doubted_originals).where(doubted_originals.c.sha256.in_(over)))
