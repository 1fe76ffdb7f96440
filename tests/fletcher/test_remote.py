"""Through a live owner of the data directory, the command line does what it does by itself."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pymupdf
import pytest

from corpora import DataDirectory, Owner, ProjectKey
from fletcher.corpus import CorpusAccess, remove_document, with_corpus
from fletcher.remote import OwnerGone, OwnerRefusal, RemoteCorpus
from fletcher.settings import load_settings
from ingest import DocumentReport, IngestReport, Progress, Refusal, Source, scan
from server import Access, Limits
from tests.server.house import House, house

KEY = ProjectKey("local", "1")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    limits = Limits(upload_bytes=10_000)
    with house(tmp_path / "data", limits=limits, access=Access(owner_key="key")) as opened:
        yield opened


SAME = "Elena keeps the lighthouse above the inland sea, and she burns nine barrels of oil in a winter."


@pytest.fixture
def remote(home: House) -> Iterator[RemoteCorpus]:
    with RemoteCorpus(Owner(1, home.url, "key")) as opened:
        yield opened


def nobody(_: Progress) -> None:
    pass


def names(documents: list[DocumentReport]) -> list[str]:
    return sorted(document.name for document in documents)


def outcomes(report: IngestReport) -> list[tuple[str, str, str | None, str | None]]:
    """What a user is told: name, status, and the error."""
    return [(d.name, d.status, d.error and d.error.code, d.error and d.error.message) for d in report.documents]


def test_what_lies_in_a_refused_folder_is_not_gone(home: House, remote: RemoteCorpus, tmp_path: Path) -> None:
    for name in ("quests/ferry.md", "quests-old.md", "gone.md"):
        home.put(name, f"The text of {name}.")
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (folder / "quests").symlink_to(elsewhere)
    report = remote.ingest(KEY, scan(folder), sync=True, progress=nobody)
    assert [(document.name, document.status) for document in report.documents] == [
        ("quests", "skipped"),
        ("gone.md", "removed"),
        ("quests-old.md", "removed"),
    ]
    assert names(remote.documents(KEY)) == ["quests/ferry.md"]


def test_the_report_is_that_of_a_local_ingest(home: House, remote: RemoteCorpus) -> None:
    sources = [
        Source("a.md", b"The ferry is called Bittern."),
        Source("a.md", b"Another ferry."),
        Source("../b.md", b"Outside."),
        Source("half\udc80.md", b"A name that is no text."),
        Source("picture.xyz", b"\0\1"),
        Source("cafe\u0301.md", b"A name in two pieces."),
        Refusal("c.md", "failed", "UNREADABLE", "c.md: cannot be read."),
    ]
    home.put("c.md", "An older version.")
    home.put("c.md", "An older version.", ProjectKey("local", "2"))
    local = home.ingestor.index(ProjectKey("local", "2"), sources)
    sent = remote.ingest(KEY, sources, sync=False, progress=nobody)
    assert outcomes(sent) == outcomes(local)
    assert [document.passages for document in sent.documents] == [document.passages for document in local.documents]
    assert sent.documents[1].error is not None
    assert sent.documents[1].error.code == "DUPLICATE_NAME"
    document = next(document for document in home.catalog.documents(KEY) if document.name == "a.md")
    assert home.catalog.text(KEY, document.id) == "The ferry is called Bittern."


@pytest.mark.parametrize("name", ['a"b.md', "50%22.md", "new; line=1.md", "søl ∂.md"])
def test_names_arrive_as_they_are(remote: RemoteCorpus, name: str) -> None:
    remote.ingest(KEY, [Source(name, b"Text.")], sync=False, progress=nobody)
    assert names(remote.documents(KEY)) == [name]
    assert remote.remove(KEY, name).status == "removed"


LARGE = b"All winter long the lamp burned. " * 20_000  # more than is sent as JSON


@pytest.mark.parametrize("name", ["50%22.md", "new; line=1.md", "søl ∂.md", "quests/a 'b'.md", "c: d.md", 'a"b.md'])
def test_large_documents_arrive_as_they_are(tmp_path: Path, name: str) -> None:
    limits = Limits(json_upload_bytes=10_000 if '"' not in name else 2**20)
    large = LARGE.replace(b" ", b"") + b" The ferry is called Bittern."
    with house(tmp_path, limits=limits, access=Access(owner_key="key")) as home:
        with RemoteCorpus(Owner(1, home.url, "key")) as remote:
            (report,) = remote.ingest(KEY, [Source(name, large)], sync=False, progress=nobody).documents
        assert (report.name, report.status, report.error) == (name, "indexed", None)
        (document,) = home.catalog.documents(KEY)
        assert document.name == name
        assert home.catalog.text(KEY, document.id).encode() == large


@pytest.mark.parametrize("size", [20_000, 30_000_000])
def test_a_document_that_the_owner_refuses_fails_alone(home: House, remote: RemoteCorpus, size: int) -> None:
    home.put("b.md", "The version before it grew.")
    sources = [Source("a.md", b"A."), Source("b.md", b"b" * size), Source("c.md", b"C.")]
    report = remote.ingest(KEY, sources, sync=True, progress=nobody)
    assert [document.status for document in report.documents] == ["indexed", "failed", "indexed"]
    refused = report.documents[1]
    assert refused.error is not None
    assert "FLETCHER_MAX_UPLOAD_BYTES" in refused.error.message
    assert refused.passages == 1
    assert names(remote.documents(KEY)) == ["a.md", "b.md", "c.md"]


class Owned:
    """A data directory with an owner that a test can end at any moment."""

    def __init__(self, path: Path) -> None:
        self.settings = load_settings(data_dir=path)
        self.ownership = DataDirectory(path).own()
        self._serving = ExitStack()
        self.next()

    def next(self) -> None:
        """Ends the owner; another one follows."""
        self._serving.close()
        self.home = self._serving.enter_context(house(self.settings.data_dir))
        self.ownership.announce(self.home.url)

    def end(self) -> None:
        """Ends the owner; the directory is free."""
        self._serving.close()
        self.ownership.release()


@pytest.fixture
def owned(tmp_path: Path) -> Iterator[Owned]:
    opened = Owned(tmp_path / "data")
    yield opened
    opened.end()


def test_an_ingest_goes_on_with_the_next_owner(owned: Owned) -> None:
    sources = [Source("a.md", b"The ferry."), Source("b.md", b"The harbour.")]
    first = owned.home

    def progress(event: Progress) -> None:
        if owned.home is first and event.phase == "done":
            owned.next()

    report = with_corpus(owned.settings, lambda corpus: corpus.ingest(KEY, sources, sync=True, progress=progress))
    assert [document.status for document in report.documents] == ["unchanged", "indexed"]


def test_an_ingest_goes_on_here_when_the_owner_is_done(owned: Owned) -> None:
    for name in ("a.md", "b.md"):
        owned.home.put(name, "The ferry.")
    sources = [Source(name, b"The ferry.") for name in ("a.md", "b.md")]
    corpora: list[CorpusAccess] = []

    def progress(event: Progress) -> None:
        if event.phase == "done":
            owned.end()

    def work(corpus: CorpusAccess) -> IngestReport:
        corpora.append(corpus)
        return corpus.ingest(KEY, sources, sync=False, progress=progress)

    report = with_corpus(owned.settings, work)
    assert [document.status for document in report.documents] == ["unchanged", "unchanged"]
    assert [isinstance(corpus, RemoteCorpus) for corpus in corpora] == [True, False]


def test_reading_goes_on_here_when_the_owner_is_done(owned: Owned) -> None:
    owned.home.put("a.md", "The ferry.")

    def work(corpus: CorpusAccess) -> list[DocumentReport]:
        owned.end()
        return corpus.documents(KEY)

    assert names(with_corpus(owned.settings, work)) == ["a.md"]


@pytest.mark.parametrize("carried_out", [True, False])
def test_a_removal_is_carried_out_once(owned: Owned, monkeypatch: pytest.MonkeyPatch, carried_out: bool) -> None:
    """The owner ends while it removes: its answer is lost, and it did its work or it did not."""
    owned.home.put("a.md", "The ferry.")
    delete = RemoteCorpus._delete  # pyright: ignore[reportPrivateUsage]

    def interrupted(remote: RemoteCorpus, key: ProjectKey, document: DocumentReport) -> DocumentReport:
        if carried_out:
            delete(remote, key, document)
        owned.end()
        return delete(remote, key, document)

    monkeypatch.setattr(RemoteCorpus, "_delete", interrupted)
    removed = remove_document(owned.settings, KEY, "a.md")
    assert (removed.name, removed.status) == ("a.md", "removed")
    assert with_corpus(owned.settings, lambda corpus: corpus.documents(KEY)) == []


def test_an_owner_that_keeps_the_directory_and_is_silent_is_named(
    owned: Owned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fletcher.corpus._WAIT_FOR_ITS_END_S", 0.0)
    owned.ownership.announce("http://127.0.0.1:1")
    with pytest.raises(OwnerGone, match="does not answer"):
        with_corpus(owned.settings, lambda corpus: corpus.documents(KEY))


def test_a_linked_folder_is_linked_shown_and_unlinked(home: House, remote: RemoteCorpus, tmp_path: Path) -> None:
    folder = tmp_path / "design"
    folder.mkdir()
    (folder / "bible.md").write_text("Elena keeps the lighthouse.")
    linked = remote.link(KEY, folder)
    assert [(document.name, document.status) for document in linked.documents] == [("bible.md", "searchable")]
    shown = remote.folder(KEY)
    assert (shown.project, shown.path, shown.problem, names(list(shown.documents))) == (
        "1", str(folder), None, ["bible.md"],
    )  # fmt: skip
    assert remote.unlink(KEY).path == str(folder)
    with pytest.raises(OwnerRefusal, match="no linked folder"):
        remote.folder(KEY)


def test_what_is_gone_is_removed_and_what_is_the_folders_is_not(
    home: House, remote: RemoteCorpus, tmp_path: Path
) -> None:
    (tmp_path / "bible.md").write_text("Elena keeps the lighthouse.")
    for name in ("a.md", "b.md"):
        home.put(name, f"The text of {name}.")
    home.catalog.link_folder(KEY, str(tmp_path))
    home.catalog.put_folder_documents(KEY, ["b.md"])
    report = remote.ingest(KEY, [Source("c.md", b"C.")], sync=False, gone=["a.md", "unknown.md"], progress=nobody)
    assert [(document.name, document.status) for document in report.documents] == [
        ("c.md", "indexed"),
        ("a.md", "removed"),
    ]
    remote.ingest(KEY, [Source("d.md", b"D.")], sync=True, progress=nobody)
    assert names(remote.documents(KEY)) == ["b.md", "d.md"]


def test_what_is_found_is_that_of_a_local_search(home: House, remote: RemoteCorpus) -> None:
    with pymupdf.open() as document:
        document.new_page().insert_textbox((72, 72, 500, 200), SAME)
        document.new_page()
        home.ingestor.index(KEY, [Source("bible.pdf", document.tobytes()), Source("bible.md", SAME.encode())])
    found = remote.search(KEY, "Who keeps the lighthouse?", 5, None)
    assert found == home.retriever.answer(KEY, "Who keeps the lighthouse?", 5)
    assert [one.also_in for one in found.passages] == [("bible.md",)]
    assert found.pages_without_text == {"bible.pdf": (2,)}
