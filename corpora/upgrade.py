"""Bringing the tables of an older Fletcher up to date: only ever by adding to them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Column, Connection, Dialect, Table, inspect
from sqlalchemy.schema import CreateColumn

from corpora.schema import metadata


def add_what_is_missing(connection: Connection, tables: Sequence[Table]) -> None:
    """Create what this database lacks of `tables`, their columns and indexes; whatever it has stays as it is.

    A column that is added must be one that old rows can do without: nullable, or with a `server_default`.
    """
    metadata.create_all(connection, tables=tables)
    found = inspect(connection)
    for table in tables:
        columns = {column["name"] for column in found.get_columns(table.name)}
        for column in table.columns:
            if column.name not in columns:
                connection.exec_driver_sql(_adding(table, column, connection.dialect))
        indexes = {index["name"] for index in found.get_indexes(table.name)}
        for index in table.indexes:
            if index.name not in indexes:
                index.create(connection)


def _adding(table: Table, column: Column[object], dialect: Dialect) -> str:
    name = dialect.identifier_preparer.format_table(table)
    return f"ALTER TABLE {name} ADD COLUMN {CreateColumn(column).compile(dialect=dialect)}"
