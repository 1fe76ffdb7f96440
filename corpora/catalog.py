"""The catalog: the truth about a project's documents, pages and passages."""

from __future__ import annotations

from corpora.documents import Documents
from corpora.doubts import Doubts
from corpora.embeddings import Embeddings
from corpora.folders import Folders
from corpora.locks import Locks
from corpora.pendings import Pendings


class Catalog(Documents, Doubts, Embeddings, Folders, Pendings, Locks):
    """All tables of one database, safe to use from several threads.

    `Catalog(database_url)` opens an SQLAlchemy URL and creates the schema where there is
    none; that of an older Fletcher is brought up to date in place. It raises `CatalogError` for a database of
    another program, or of a newer Fletcher.
    A method that writes is one transaction.
    """
