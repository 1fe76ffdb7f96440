"""Documents into a corpus: new, unchanged, changed, unreadable, gone."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from corpora import Catalog, Document, DocumentNotFound, Passage, ProjectKey, ProjectNotFound
from ingest import Extracted, Progress, Refusal, Source, Unread, scan
from ingest.split import split
from retrieval import VectorStoreUnavailable
from tests.ingest.conftest import on_both
from tests.ingest.sources import BIBLE, CHANGED, SOURCES, a_pdf, codes, statuses

if TYPE_CHECKING:
    from tests.ingest.conftest import Pipeline


@on_both
def test_new_documents_are_searchable_first_and_indexed_then(pipeline: Pipeline, key: ProjectKey) -> None:
    added = pipeline.ingestor.add(key, SOURCES)
    assert statuses(added) == {"bible.md": "searchable", "quests/harbour.txt": "searchable"}
    assert pipeline.model.texts == []
    (best, *_) = pipeline.retriever.search(key, "Who keeps the lighthouse?")
    assert best.passage.document == "bible.md"
    again = pipeline.ingestor.index(key, SOURCES)
    assert statuses(again) == {"bible.md": "indexed", "quests/harbour.txt": "indexed"}
    assert len(pipeline.reader.names) == 2, "what was read is not read again for its vectors"
    pipeline.assert_consistent(key)


def test_unchanged_documents_cost_nothing(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.index(key, SOURCES)
    version, read, embedded = pipeline.catalog.corpus_version(key), pipeline.reader.names[:], pipeline.model.texts[:]
    report = pipeline.ingestor.index(key, SOURCES)
    assert set(statuses(report).values()) == {"unchanged"}
    assert (pipeline.reader.names, pipeline.model.texts) == (read, embedded)
    assert pipeline.catalog.corpus_version(key) == version


@on_both
def test_of_a_changed_document_only_changed_passages_are_embedded(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.index(key, SOURCES)
    before = {passage.id for passage in pipeline.catalog.passages(key)}
    pipeline.model.texts.clear()
    report = pipeline.ingestor.index(key, [Source("bible.md", CHANGED.encode()), SOURCES[1]])
    assert statuses(report) == {"bible.md": "updated", "quests/harbour.txt": "unchanged"}
    assert pipeline.model.texts == ["Places\nThe harbour freezes in spring."]
    assert len(before & {passage.id for passage in pipeline.catalog.passages(key)}) == len(before) - 1
    pipeline.assert_consistent(key)


def test_who_listens_may_end_it_between_two_removals(pipeline: Pipeline, key: ProjectKey) -> None:
    class IsOver(Exception):
        pass

    def listen(progress: Progress) -> None:
        if progress.phase == "queued" and len(pipeline.catalog.documents(key)) == 1:
            raise IsOver

    pipeline.ingestor.add(key, SOURCES)
    with pytest.raises(IsOver):
        pipeline.ingestor.add(key, [], replace=True, progress=listen)
    assert len(pipeline.catalog.documents(key)) == 1


@on_both
def test_a_renamed_moved_or_copied_file_is_neither_read_nor_embedded_again(pipeline: Pipeline, key: ProjectKey) -> None:
    twice = "# People\n\nElena waits.\n\n# People\n\nElena waits.\n"
    sources = [Source("bible.md", BIBLE.encode()), Source("twice.md", twice.encode()), Source("a.pdf", a_pdf("One."))]
    pipeline.ingestor.index(key, sources)
    read, embedded = pipeline.reader.names[:], pipeline.model.texts[:]
    moved = [Source(f"moved/{source.name}", source.data) for source in sources]
    report = pipeline.ingestor.index(key, [*moved, Source("copy.md", BIBLE.encode())], replace=True)
    assert [document.status for document in report.documents] == ["indexed"] * 4 + ["removed"] * 3
    assert (pipeline.reader.names, pipeline.model.texts) == (read, embedded)
    assert [passage.page_from for passage in pipeline.catalog.passages(key, key.document_id("moved/a.pdf"))] == [1]
    pipeline.assert_consistent(key)
    fresh = ProjectKey("local", "fresh")
    pipeline.ingestor.index(fresh, moved)
    for source in moved:
        copied, anew = (pipeline.catalog.passages(of, of.document_id(source.name)) for of in (key, fresh))
        assert [(p.heading, p.char_from, p.text) for p in copied] == [(p.heading, p.char_from, p.text) for p in anew]


@pytest.mark.parametrize("way", ["by its id", "as it is missing"])
def test_no_other_document_is_removed_whose_name_is_the_id_of_one(
    pipeline: Pipeline, key: ProjectKey, way: str
) -> None:
    pipeline.ingestor.add(key, [Source("bible.md", b"One kettle.")])
    decoy = pipeline.catalog.put_document(
        key,
        name=key.document_id("bible.md"),
        format="md",
        sha256="0" * 64,
        size=4,
        text="Two.",
        pages=[],
        passages=[],
    )
    if way == "by its id":
        assert pipeline.ingestor.take_out(key, key.document_id("bible.md")).name == "bible.md"
    else:
        report = pipeline.ingestor.add(key, [], gone=["bible.md"])
        assert [document.name for document in report.documents] == ["bible.md"]
    assert [document.name for document in pipeline.catalog.documents(key)] == [decoy.name]


def test_a_file_that_becomes_another_format_by_its_name_is_read_again(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.index(key, [Source("bible.txt", BIBLE.encode())])
    pipeline.ingestor.index(key, [Source("bible.md", BIBLE.encode()), Source("bible.xyz", BIBLE.encode())])
    assert pipeline.reader.names == ["bible.txt", "bible.md", "bible.xyz"]
    assert {document.format for document in pipeline.catalog.documents(key)} == {"txt", "md"}


@on_both
def test_two_files_that_change_names_keep_their_words(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.index(key, [Source("a.md", b"Elena waits."), Source("b.md", b"Tomas leaves.")])
    pipeline.ingestor.index(key, [Source("a.md", b"Tomas leaves."), Source("b.md", b"Elena waits.")])
    texts = [pipeline.catalog.text(key, key.document_id(name)) for name in ("a.md", "b.md")]
    assert texts == ["Tomas leaves.", "Elena waits."]
    pipeline.assert_consistent(key)


@on_both
def test_texts_known_from_another_project_are_not_embedded_again(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.index(key, SOURCES)
    pipeline.model.texts.clear()
    other = ProjectKey("other", "2")
    pipeline.ingestor.index(other, [Source("copy.md", BIBLE.encode())])
    assert pipeline.model.texts == []
    pipeline.assert_consistent(other)
    pipeline.assert_consistent(key)


@on_both
def test_what_is_away_and_back_while_vectors_are_made_has_its_turn_later(pipeline: Pipeline, key: ProjectKey) -> None:
    whole, half = (
        Source("a.md", "".join(f"# Part {part}\n\nIn part {part}.\n\n" for part in range(parts)).encode())
        for parts in (130, 40)
    )
    pipeline.ingestor.add(key, [whole])
    saved = iter([half, whole])

    def save() -> None:
        if (source := next(saved, None)) is not None:
            pipeline.ingestor.add(key, [source])

    pipeline.model.before_passages = save
    assert pipeline.ingestor.embed_if_free(key)
    assert pipeline.ingestor.embed_if_free(key), "as each `add` asks for it once more"
    pipeline.assert_consistent(key)


@on_both
def test_whoever_makes_vectors_does_not_count_the_pages_of_all_documents(
    pipeline: Pipeline, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread makes those of all projects, and a project may have millions of pages."""
    pipeline.ingestor.add(key, SOURCES)
    pipeline.ingestor.add(key, [Source("new.md", BIBLE.replace("Elena", "Ada").encode())])
    pipeline.ingestor.take_out(key, "bible.md")
    with monkeypatch.context() as counting:
        counting.setattr(Catalog, "documents", None)
        assert pipeline.ingestor.embed_if_free(key)
    pipeline.assert_consistent(key)


def test_what_cannot_be_read_fails_alone_with_its_reason(pipeline: Pipeline, key: ProjectKey) -> None:
    report = pipeline.ingestor.index(
        key,
        [
            Source("empty.md", b""),
            Source("game.pdf", b"MZ\0\0 this was an .exe"),
            Source("notes.xyz", b"\1\2\3"),
            Source("../up.md", b"text"),
            Refusal("broken.pdf", "failed", "INVALID_BASE64", "broken.pdf: its content is not base64."),
            *SOURCES,
        ],
    )
    assert codes(report) == {
        "empty.md": "EMPTY",
        "game.pdf": "CORRUPT",
        "notes.xyz": "UNKNOWN_FORMAT",
        "../up.md": "INVALID_NAME",
        "broken.pdf": "INVALID_BASE64",
        "bible.md": None,
        "quests/harbour.txt": None,
    }
    failed = [document for document in report.documents if document.status == "failed"]
    assert len(failed) == 5
    assert all(document.id is None and document.error and document.error.message for document in failed)
    assert [document.name for document in pipeline.catalog.documents(key)] == ["bible.md", "quests/harbour.txt"]
    pipeline.assert_consistent(key)


def test_where_nothing_can_be_read_there_is_no_project(pipeline: Pipeline, key: ProjectKey) -> None:
    report = pipeline.ingestor.index(key, [Source("empty.md", b"")])
    assert codes(report) == {"empty.md": "EMPTY"}
    assert not pipeline.catalog.has_project(key)


@pytest.mark.parametrize("replace", [False, True])
def test_a_changed_document_that_cannot_be_read_keeps_its_old_version(
    pipeline: Pipeline, key: ProjectKey, replace: bool
) -> None:
    pipeline.ingestor.index(key, SOURCES)
    old = pipeline.catalog.find_document(key, "bible.md")
    report = pipeline.ingestor.index(key, [Source("bible.md", b""), SOURCES[1]], replace=replace)
    assert statuses(report) == {"bible.md": "failed", "quests/harbour.txt": "unchanged"}
    entry = report.documents[0]
    assert (entry.id, entry.passages, entry.embedded) == (old.id, old.passages, old.passages)
    assert pipeline.catalog.find_document(key, "bible.md") == old
    pipeline.assert_consistent(key)


@on_both
def test_replace_removes_what_is_not_given(pipeline: Pipeline, key: ProjectKey, tmp_path: Path) -> None:
    pipeline.ingestor.index(key, SOURCES)
    gone = pipeline.catalog.find_document(key, "bible.md")
    report = pipeline.ingestor.index(key, SOURCES[1:], replace=True)
    assert statuses(report) == {"quests/harbour.txt": "unchanged", "bible.md": "removed"}
    assert report.documents[-1].id == gone.id
    pipeline.assert_no_original(gone.sha256)
    assert all(hit.passage.document != "bible.md" for hit in pipeline.retriever.search(key, "lighthouse Elena"))
    pipeline.assert_consistent(key)


def test_replace_keeps_what_a_folder_that_cannot_be_read_may_have(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.index(key, SOURCES)
    refused = [
        Refusal("quests", "failed", "UNREADABLE", "quests: permission denied"),
        Refusal("bible.md", "failed", "UNREADABLE", "bible.md: permission denied"),
    ]
    report = pipeline.ingestor.index(key, refused, replace=True)
    assert set(statuses(report).values()) == {"failed"}
    assert len(pipeline.catalog.documents(key)) == 2


def test_two_documents_cannot_have_one_name(pipeline: Pipeline, key: ProjectKey) -> None:
    report = pipeline.ingestor.index(key, [SOURCES[0], Source("bible.md", b"Another."), SOURCES[0]])
    assert [document.status for document in report.documents] == ["indexed", "failed", "indexed"]
    assert [document.error and document.error.code for document in report.documents] == [None, "DUPLICATE_NAME", None]
    assert pipeline.catalog.text(key, key.document_id("bible.md")).strip() == BIBLE.strip()


def test_a_removal_lists_no_other_documents(
    pipeline: Pipeline, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline.ingestor.add(key, SOURCES)
    listed, documents = list[object](), pipeline.catalog.documents

    def listing(of: ProjectKey, ids: Iterable[str] | None = None) -> list[Document]:
        listed.append(ids)
        return documents(of, ids)

    monkeypatch.setattr(pipeline.catalog, "documents", listing)
    pipeline.ingestor.remove(key, "bible.md")
    assert None not in listed
    assert [document.name for document in documents(key)] == ["quests/harbour.txt"]


def test_removing_what_is_not_there_says_so(pipeline: Pipeline, key: ProjectKey) -> None:
    with pytest.raises(ProjectNotFound):
        pipeline.ingestor.remove(key, "bible.md")
    pipeline.ingestor.add(key, SOURCES)
    with pytest.raises(DocumentNotFound):
        pipeline.ingestor.remove(key, "bibel.md")


@pytest.fixture(scope="module")
def edited_book() -> tuple[bytes, bytes]:
    """A book of 30 pages, and the same with page 16 edited."""
    pages = [
        "\n".join(
            f"Line {line} of page {page} tells what the ferryman saw in year {line * page}." for line in range(10)
        )
        for page in range(1, 31)
    ]
    book = a_pdf(*pages)
    pages[15] = pages[15].replace("ferryman", "lighthouse keeper", 5)
    return book, a_pdf(*pages)


def test_of_many_pages_an_edited_one_costs_five_passages_at_most(
    pipeline: Pipeline, key: ProjectKey, edited_book: tuple[bytes, bytes]
) -> None:
    book, edited = edited_book
    pipeline.ingestor.index(key, [Source("book.pdf", book)])
    pipeline.model.texts.clear()
    (report,) = pipeline.ingestor.index(key, [Source("book.pdf", edited)]).documents
    assert (report.status, report.pages) == ("updated", 30)
    assert 1 <= len(pipeline.model.texts) <= 5
    assert all("page 16 " in text for text in pipeline.model.texts)
    pipeline.assert_consistent(key)


def test_sources_may_come_from_a_generator(pipeline: Pipeline, key: ProjectKey) -> None:
    report = pipeline.ingestor.add(key, (source for source in SOURCES))
    assert len(report.documents) == 2


def test_a_folder_comes_in_and_follows_its_changes(pipeline: Pipeline, key: ProjectKey, tmp_path: Path) -> None:
    folder = tmp_path / "design"
    folder.mkdir()
    for source in SOURCES:
        (folder / source.name).parent.mkdir(exist_ok=True)
        (folder / source.name).write_bytes(source.data)
    (folder / "LICENSE").write_text("CC0")
    first = pipeline.ingestor.index(key, scan(folder), replace=True)
    assert statuses(first) == {"LICENSE": "skipped", "bible.md": "indexed", "quests/harbour.txt": "indexed"}
    (folder / "bible.md").rename(folder / "people.md")
    second = pipeline.ingestor.index(key, scan(folder), replace=True)
    assert statuses(second)["people.md"] == "indexed"
    assert statuses(second)["bible.md"] == "removed"
    assert len(pipeline.model.texts) == 3, "a renamed document has no new text"
    pipeline.assert_consistent(key)


@on_both
def test_ingests_of_one_project_come_one_after_the_other(pipeline: Pipeline, key: ProjectKey) -> None:
    versions = [[Source("bible.md", f"# People\n\nElena is {age}.\n".encode())] for age in range(6)]
    threads = [
        threading.Thread(target=pipeline.ingestor.index, args=(key, version), kwargs={"replace": True})
        for version in versions
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pipeline.catalog.corpus_version(key) == 6
    pipeline.assert_consistent(key)


@on_both
def test_documents_change_and_go_while_vectors_are_made(pipeline: Pipeline, key: ProjectKey) -> None:
    """Neither has to wait for the vectors, and what they made superfluous is gone in the end."""
    pipeline.ingestor.add(key, SOURCES)
    embedding, go_on = threading.Event(), threading.Event()

    def pause() -> None:
        embedding.set()
        assert go_on.wait(60)

    pipeline.model.before_passages = pause
    thread = threading.Thread(target=pipeline.ingestor.embed, args=(key,))
    thread.start()
    assert embedding.wait(60)
    pipeline.ingestor.add(key, [Source("bible.md", CHANGED.encode())])
    pipeline.ingestor.remove(key, "quests/harbour.txt")
    go_on.set()
    thread.join()
    pipeline.ingestor.embed(key)
    pipeline.assert_consistent(key)
    assert [document.name for document in pipeline.catalog.documents(key)] == ["bible.md"]


@on_both
def test_documents_are_in_though_their_vectors_cannot_be_written(
    pipeline: Pipeline, key: ProjectKey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*_: object) -> None:
        raise VectorStoreUnavailable("Chroma is away.")

    with monkeypatch.context() as patch:
        patch.setattr(pipeline.vectors, "put", away)
        report = pipeline.ingestor.index(key, SOURCES)
    assert statuses(report) == {"bible.md": "searchable", "quests/harbour.txt": "searchable"}
    assert "Chroma is away." in caplog.text
    assert pipeline.retriever.search(key, "Who keeps the lighthouse?")
    pipeline.ingestor.index(key, [])
    pipeline.assert_consistent(key)


def test_a_document_that_waits_is_read_when_the_one_before_it_is_in(pipeline: Pipeline, key: ProjectKey) -> None:
    steps: list[str] = []

    def unread(source: Source) -> Unread:
        def read() -> Source:
            steps.append(f"{source.name} is read")
            return source

        return Unread(source.name, read)

    def listen(progress: Progress) -> None:
        if progress.phase == "searchable":
            steps.append(f"{progress.document} is in")

    report = pipeline.ingestor.add(key, [unread(source) for source in SOURCES], progress=listen)
    assert statuses(report) == {"bible.md": "searchable", "quests/harbour.txt": "searchable"}
    assert steps == [f"{source.name} is {what}" for source in SOURCES for what in ("read", "in")]


@on_both
def test_a_document_that_the_catalog_refuses_keeps_no_other_out(
    pipeline: Pipeline, key: ProjectKey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pipeline.ingestor.index(key, SOURCES)

    def twice(extracted: Extracted, document_id: str, name: str) -> list[Passage]:
        passages = split(extracted, document_id, name)
        return passages * 2 if name == "bible.md" else passages

    monkeypatch.setattr("ingest.addition.split", twice)
    report = pipeline.ingestor.index(key, [Source("bible.md", CHANGED.encode()), Source("map.md", b"The map.")])
    assert statuses(report) == {"bible.md": "failed", "map.md": "indexed"}
    assert codes(report) == {"bible.md": "CATALOG_ERROR", "map.md": None}
    (failed, _) = report.documents
    assert failed.error is not None
    assert failed.error.message.startswith("bible.md: The catalog does not take a value of it (")
    assert "Elena" not in caplog.text + failed.error.message
    monkeypatch.undo()
    assert pipeline.ingestor.index(key, SOURCES).documents[0].status == "unchanged", "what was there is there"
    pipeline.assert_consistent(key)


def test_whoever_reads_from_drives_that_hang_takes_no_place_of_an_upload(pipeline: Pipeline, key: ProjectKey) -> None:
    """An assistant names one file after the other, of no linked folder; nobody else may wait for its drive."""
    answers, reading = threading.Event(), threading.Semaphore(0)

    def read() -> Source:
        reading.release()
        answers.wait()
        return SOURCES[0]

    hanging = [Unread("bible.md", read, size=size, is_on_drive=True) for size in (9 * 2**20, 2**20)]
    workspaces = ["red", "green", "yellow", "white"]
    threads = [
        threading.Thread(target=pipeline.ingestor.add, args=(ProjectKey(workspace, str(number)), [one]))
        for workspace in workspaces
        for number, one in enumerate(hanging)
    ]
    try:
        for thread in threads:
            thread.start()
        for _ in range(2 + 2):  # so many of each kind are read at once at least
            reading.acquire()
        uploads = [Unread(source.name, lambda s=source: s, size=9 * 2**20) for source in SOURCES]
        assert statuses(pipeline.ingestor.add(key, uploads)).keys() == {source.name for source in SOURCES}
    finally:
        answers.set()
        for thread in threads:
            thread.join()
