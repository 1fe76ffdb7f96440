"""A catalog of its own for each test, and the quickest way to put a document into it."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from corpora import Catalog, Document, Page, Passage, ProjectKey, passage_id

Put = Callable[..., Document]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'catalog.sqlite3'}"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def database_url(request: pytest.FixtureRequest, sqlite_url: str) -> str:
    """An empty database, of each kind."""
    return sqlite_url if request.param == "sqlite" else request.getfixturevalue("empty_database")()


@pytest.fixture
def catalog(database_url: str) -> Iterator[Catalog]:
    opened = Catalog(database_url)
    yield opened
    opened.close()


@pytest.fixture
def key() -> ProjectKey:
    return ProjectKey("local", "1")


@pytest.fixture
def put(catalog: Catalog) -> Put:
    def put(key: ProjectKey, name: str, *texts: str, of_folder: bool = False) -> Document:
        """A document with one passage and one page for each text."""
        document_id = key.document_id(name)
        passages: list[Passage] = []
        pages: list[Page] = []
        start = 0
        for number, text in enumerate(texts, start=1):
            end = start + len(text)
            occurrence = texts[: number - 1].count(text)
            identifier = passage_id(document_id, (), text, occurrence)
            passages.append(Passage(identifier, document_id, name, number, number, (), start, end, text))
            pages.append(Page(number, start, end, text))
            start = end
        whole = "".join(texts)
        return catalog.put_document(
            key,
            name=name,
            format="pdf",
            sha256=sha256(whole.encode()).hexdigest(),
            size=len(whole.encode()),
            text=whole,
            pages=pages,
            passages=passages,
            of_folder=of_folder,
        )

    return put
