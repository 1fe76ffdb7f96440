"""Two servers that share PostgreSQL and a Chroma server, as two pipelines of one process."""

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from corpora import ProjectKey
from corpora.statements import PassageRows, touched_project
from ingest import IngestReport, Progress, Source
from tests.ingest.conftest import Pipeline, pipeline_on
from tests.postgresql import EmptyDatabase

pytestmark = pytest.mark.long

SOURCES = [
    Source(f"{number}.md", "".join(f"# Part {part}\n\nIn {number} part {part}.\n\n" for part in range(20)).encode())
    for number in range(6)
]


@pytest.fixture
def servers(empty_database: EmptyDatabase, chroma_url: str) -> Iterator[list[Pipeline]]:
    url = empty_database()
    with ExitStack() as opened:
        yield [opened.enter_context(pipeline_on(url, chroma_url)) for _ in range(2)]


@contextmanager
def written_to(server: Pipeline, key: ProjectKey) -> Generator[None]:
    """As for as long as a document of very many passages is being written into the project."""
    with server.catalog._writing() as connection:  # pyright: ignore[reportPrivateUsage]
        touched_project(connection, key)
        yield


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.statements._PATIENCE_MS", 100)


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


@pytest.mark.usefixtures("_impatient")
def test_vectors_of_a_project_that_is_written_to_are_made_later_and_computed_once(
    servers: list[Pipeline], key: ProjectKey, caplog: pytest.LogCaptureFixture
) -> None:
    one, other = servers
    one.ingestor.index(key, SOURCES[:1])
    before = len(one.model.texts)
    one.ingestor.add(key, SOURCES)
    for tried in range(2):
        with written_to(other, key):
            assert not one.ingestor.embed_if_free(key), tried
    computed = len(one.model.texts)
    assert computed > before
    assert one.ingestor.embed_if_free(key)
    assert len(one.model.texts) == len(set(one.model.texts)) > computed
    one.assert_consistent(key)
    assert caplog.records == []


@pytest.mark.usefixtures("_impatient")
def test_who_has_to_make_all_vectors_waits_for_who_writes(servers: list[Pipeline], key: ProjectKey) -> None:
    one, other = servers
    one.ingestor.add(key, SOURCES)
    embedding, is_told = threading.Thread(target=lambda: one.ingestor.embed(key, told)), threading.Event()
    said: list[Progress] = []

    def told(progress: Progress) -> None:
        said.append(progress)
        if len(said) > 3:
            is_told.set()

    with written_to(other, key):
        embedding.start()
        assert is_told.wait(60)
        assert {progress.done for progress in said} == {0}
    embedding.join()
    assert len(one.model.texts) == len(set(one.model.texts))
    one.assert_consistent(key)


@pytest.mark.usefixtures("_impatient")
def test_a_project_that_is_written_to_is_repaired_and_forgotten_later(
    servers: list[Pipeline], key: ProjectKey, caplog: pytest.LogCaptureFixture
) -> None:
    one, other = servers
    one.ingestor.index(key, SOURCES)
    lost = one.catalog.passages(key)[0].id
    one.vectors.delete(key, [lost])
    one.ingestor.take_out(key, "5.md")
    gone = one.catalog.replaced_passages(key)
    with written_to(other, key):
        assert not one.retriever.repair(key)
        one.retriever.forget_replaced(key)
        assert one.catalog.replaced_passages(key) == gone
    one.retriever.forget_replaced(key)
    assert one.catalog.replaced_passages(key) == []
    assert one.retriever.repair(key)
    one.assert_consistent(key)
    assert caplog.records == []


@pytest.mark.usefixtures("_impatient")
def test_a_search_that_sees_that_vectors_are_lost_waits_for_nobody_who_writes(
    servers: list[Pipeline], key: ProjectKey
) -> None:
    one, other = servers
    one.ingestor.index(key, SOURCES)
    one.vectors.drop(key)
    with written_to(other, key):
        answer = one.retriever.answer(key, "part")
        assert answer.text_only
        assert answer.passages
        assert not one.catalog.unembedded(key)
    assert one.retriever.answer(key, "part").text_only
    assert len(one.catalog.unembedded(key)) == len(one.catalog.passages(key))


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("by", ["one that is shorter", "nothing"])
def test_what_is_being_replaced_when_its_vectors_come_leaves_none(
    servers: list[Pipeline], key: ProjectKey, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """Whoever replaces it has looked for its vectors, and is not done when they are there."""
    one, other = servers
    one.ingestor.add(key, SOURCES[:1])
    hashes = [passage.embedding_hash for passage in one.catalog.passages(key)]
    has_looked, may_go_on = threading.Event(), threading.Event()
    insert: Callable[..., None] = PassageRows.insert

    def held_up(*arguments: Any) -> None:
        has_looked.set()
        assert may_go_on.wait(60)
        insert(*arguments)

    monkeypatch.setattr(PassageRows, "insert", held_up)
    shorter = Source("0.md", b"# Part 0\n\nIn 0 part 0.\n\n")
    replacing = threading.Thread(target=lambda: other.ingestor.add(key, [shorter]))

    def replace() -> None:
        if not has_looked.is_set():
            replacing.start()
            assert has_looked.wait(60)

    one.model.before_passages = replace
    assert not one.ingestor.embed_if_free(key)
    may_go_on.set()
    replacing.join()
    if by == "nothing":
        other.ingestor.take_out(key, "0.md")
    assert one.ingestor.embed_if_free(key)
    left = one.catalog.passages(key)
    assert len(left) == (by != "nothing")
    one.assert_consistent(key)
    assert one.catalog.cached_vectors(hashes).keys() == {passage.embedding_hash for passage in left} & {*hashes}
