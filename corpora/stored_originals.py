"""The original files where no data directory is: in the catalog's database."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from sqlalchemy import delete, select

from corpora.chunks import chunks
from corpora.database import Database, insert_or_keep
from corpora.errors import OriginalNotFound
from corpora.schema import originals

_PART_BYTES = 4 * 2**20


class StoredOriginals(Database):
    """As `Originals`, in rows of at most 4 MiB; opened and closed like a catalog."""

    manifest = None

    def put(self, data: bytes) -> str:
        """Keep the bytes, all or none of them; returns their SHA-256 in hex."""
        sha256 = hashlib.sha256(data).hexdigest()
        if self.has(sha256):
            return sha256
        with self._writing() as connection:
            # An empty file has one part as well.
            for part, start in enumerate(range(0, max(len(data), 1), _PART_BYTES)):
                row = {"sha256": sha256, "part": part, "data": data[start : start + _PART_BYTES]}
                connection.execute(insert_or_keep(connection, originals), row)
        return sha256

    def get(self, sha256: str) -> bytes:
        """The bytes of that hash; raises `OriginalNotFound`."""
        query = select(originals.c.data).where(originals.c.sha256 == sha256).order_by(originals.c.part)
        with self._reading() as connection:
            parts = connection.scalars(query).all()
        if not parts:
            raise OriginalNotFound(f"The original file {sha256} is missing: ingest its document again.")
        return b"".join(parts)

    def has(self, sha256: str) -> bool:
        """Whether the bytes of that hash are kept."""
        query = select(originals.c.part).where(originals.c.sha256 == sha256).limit(1)
        with self._reading() as connection:
            return connection.scalar(query) is not None

    def delete(self, hashes: Iterable[str]) -> set[str]:
        """Delete the files of these hashes, none of which may be added meanwhile; returns those that stay: none."""
        with self._writing() as connection:
            for some in chunks(hashes):
                connection.execute(delete(originals).where(originals.c.sha256.in_(some)))
        return set()

    def hashes(self) -> set[str]:
        """The hashes of all files."""
        with self._reading() as connection:
            return set(connection.scalars(select(originals.c.sha256).where(originals.c.part == 0)))
