"""Two servers that share PostgreSQL and a Chroma server, as two pipelines of one process."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from corpora import ProjectKey
from ingest import IngestReport, Source
from tests.ingest.conftest import Pipeline, pipeline_on
from tests.postgresql import EmptyDatabase

SOURCES = [
    Source(f"{number}.md", "".join(f"# Part {part}\n\nIn {number} part {part}.\n\n" for part in range(20)).encode())
    for number in range(6)
]


@pytest.fixture
def servers(empty_database: EmptyDatabase, chroma_url: str) -> Iterator[list[Pipeline]]:
    url = empty_database()
    with ExitStack() as opened:
        yield [opened.enter_context(pipeline_on(url, chroma_url)) for _ in range(2)]


def test_what_both_are_given_is_read_and_embedded_once(servers: list[Pipeline], key: ProjectKey) -> None:
    reports: list[IngestReport] = []
    threads = [
        threading.Thread(target=lambda server=server: reports.append(server.ingestor.index(key, SOURCES)))
        for server in servers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(server.reader.names) for server in servers) == [0, len(SOURCES)]
    texts = [text for server in servers for text in server.model.texts]
    assert len(texts) == len(set(texts)) == len(servers[0].catalog.passages(key))
    for server, report in zip(servers, reports, strict=True):
        assert all(document.embedded == document.passages for document in report.documents)
        server.assert_consistent(key)


def test_what_one_removes_while_the_other_embeds_leaves_no_vector(servers: list[Pipeline], key: ProjectKey) -> None:
    one, other = servers
    one.ingestor.add(key, SOURCES)
    removed: list[str] = []

    def remove_once() -> None:
        if not removed:
            removed.append(other.ingestor.remove(key, "3.md").name)

    one.model.before_passages = remove_once
    one.ingestor.embed(key)
    assert len(one.catalog.documents(key)) == len(SOURCES) - 1
    for server in servers:
        server.assert_consistent(key)


def test_who_repairs_waits_for_who_embeds(servers: list[Pipeline], key: ProjectKey) -> None:
    one, other = servers
    one.ingestor.add(key, SOURCES)
    answers: list[bool] = []
    one.model.before_passages = lambda: answers.append(other.retriever.repair(key))
    one.ingestor.embed(key)
    assert answers
    assert not any(answers)
    assert other.retriever.repair(key)
    one.assert_consistent(key)


def test_an_original_that_one_stores_is_not_swept_by_the_other(servers: list[Pipeline], key: ProjectKey) -> None:
    """The other one removes the last document of the same bytes, over and over."""
    one, other = servers
    stop = threading.Event()
    elsewhere = ProjectKey("local", "elsewhere")

    def come_and_go() -> None:
        while not stop.is_set():
            other.ingestor.add(elsewhere, SOURCES[:1])
            other.ingestor.remove(elsewhere, "0.md")

    thread = threading.Thread(target=come_and_go)
    thread.start()
    try:
        for _ in range(5):
            one.ingestor.add(key, SOURCES[:1])
            sha256 = one.catalog.find_document(key, "0.md").sha256
            assert one.originals.get(sha256) == SOURCES[0].data
            one.ingestor.remove(key, "0.md")
    finally:
        stop.set()
        thread.join()
