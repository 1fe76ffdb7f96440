"""The catalog's tables, in SQL that SQLite and PostgreSQL both speak."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

# One more with every change that adds a table, a column or an index: a catalog of a lower version is given what it
# lacks when it is opened (`upgrade.py`). A new column is nullable or has a `server_default`, and refers to no other
# table; nothing is ever renamed or taken away, so that an upgrade neither loses nor rewrites a row.
SCHEMA_VERSION = 12

metadata = MetaData()

# Its presence is what tells our database from somebody else's.
facts = Table(
    "fletcher_catalog",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

projects = Table(
    "projects",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("project_id", String(64), nullable=False),
    Column("corpus_version", Integer, nullable=False),
    UniqueConstraint("workspace", "project_id"),
)

documents = Table(
    "documents",
    metadata,
    # Derived from workspace, project and name: unique for the three together.
    Column("id", String(16), primary_key=True),
    Column("project", ForeignKey(projects.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("format", String(32), nullable=False),
    Column("sha256", String(64), nullable=False, index=True),
    Column("size", BigInteger, nullable=False),
    Column("pages_without_text", JSON, nullable=False),
    Column("pages_with_hidden_text", JSON, nullable=False, server_default="[]"),
    Column("pages_recognized", JSON, nullable=False, server_default="[]"),
    # What it was read with; NULL before that was recorded.
    Column("reader_version", Integer),
    Column("ocr_languages", String(255)),
    Column("updated_at", DateTime(timezone=True), nullable=False),
    Column("from_folder", Boolean, nullable=False, server_default=false()),
    # What the linked folder has, where another file was sent after that; else NULL.
    Column("over_sha256", String(64)),
    # `kept_bytes`; 0 before that was recorded.
    Column("text_size", BigInteger, nullable=False, server_default="0"),
    # Last, so that SQLite need not walk over it to reach the others.
    Column("text", Text, nullable=False),
)

# What a workspace takes is added up from this alone, without a look at rows that are as long as their texts.
Index("ix_documents_sizes", documents.c.project, documents.c.size, documents.c.text_size, documents.c.id)

pages = Table(
    "pages",
    metadata,
    Column("document", ForeignKey(documents.c.id, ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer),
    Column("char_from", Integer, nullable=False),
    Column("char_to", Integer, nullable=False),
)

passages = Table(
    "passages",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("document", ForeignKey(documents.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("position", Integer, nullable=False),
    Column("page_from", Integer),
    Column("page_to", Integer),
    Column("heading", JSON, nullable=False),
    Column("char_from", Integer, nullable=False),
    Column("char_to", Integer, nullable=False),
    # Whether the vector store has this passage's vector, of the recorded model.
    Column("embedded", Boolean, nullable=False),
    Column("kind", String(16), nullable=False, server_default="prose"),
    # Which of the `vectors` is its own; NULL before that was recorded.
    Column("text_sha256", String(64), index=True),
    Column("text", Text, nullable=False),
)

_lacks_its_vector = passages.c.embedded.is_(False)
Index(
    "ix_passages_unembedded",
    passages.c.document,
    sqlite_where=_lacks_its_vector,
    postgresql_where=_lacks_its_vector,
)

# Passages that are gone from the catalog and whose vectors may still lie in the vector store, and here. Written in the
# transaction that takes the passages away, so that no crash between the two stores leaves a vector behind.
replaced_passages = Table(
    "replaced_passages",
    metadata,
    Column("passage", String(32), primary_key=True),
    Column("project", ForeignKey(projects.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("text_sha256", String(64)),
)

# Where the originals are when no data directory is: in pieces, as no database likes rows of 100 MB.
originals = Table(
    "originals",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("part", Integer, primary_key=True, autoincrement=False),
    Column("data", LargeBinary, nullable=False),
)

# Originals that perhaps no document needs: only those are looked at and deleted. No reference to what may be gone.
doubted_originals = Table("doubted_originals", metadata, Column("sha256", String(64), primary_key=True))

vectors = Table(
    "vectors",
    metadata,
    Column("text_sha256", String(64), primary_key=True),
    Column("model", String(255), primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)

pendings = Table(
    "pendings",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("project_id", String(64), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("payload", JSON, nullable=False),
    Column("content_sha256", String(64), nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, index=True),
    # Bytes of the payload; 0 before that was recorded.
    Column("size", BigInteger, nullable=False, server_default="0"),
    # Whether an assistant's turn has left it; false before that was recorded.
    Column("by_assistant", Boolean, nullable=False, server_default=false()),
    # When an undo took the turn back whose story from before this is, and the story that it came to.
    Column("undone_at", DateTime(timezone=True)),
    Column("undone_to", String(64)),
)
# What has to make room is known from this alone, without a look at rows that are as long as their stories.
Index(
    "ix_pendings_rooms",
    pendings.c.workspace,
    pendings.c.created_at,
    pendings.c.project_id,
    pendings.c.kind,
    pendings.c.by_assistant,
    pendings.c.undone_at,
    pendings.c.size,
    pendings.c.id,
)
Index("ix_pendings_undone", pendings.c.workspace, pendings.c.project_id, pendings.c.undone_to, pendings.c.undone_at)

# The folder that belongs to a project and is kept in step; of several servers, the one that holds the lease does so.
folders = Table(
    "folders",
    metadata,
    Column("project", ForeignKey(projects.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("path", Text, nullable=False),
    Column("problem_code", String(64)),
    Column("problem", Text),
    Column("watcher", String(64)),
    Column("watched_until", DateTime(timezone=True)),
    # Whether it was the owner of the data directory who linked it; NULL before that was recorded.
    Column("by_owner", Boolean),
)

# The names of the documents that came from the linked folder: these it may also take away.
folder_documents = Table(
    "folder_documents",
    metadata,
    Column("project", ForeignKey(projects.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("name", Text, primary_key=True),
)
