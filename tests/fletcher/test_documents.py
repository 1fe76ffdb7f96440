"""A project's documents over the API: what is sent, removed and told, whoever answers."""

import json
import os
from collections.abc import Collection, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from corpora import DataDirectory, ProjectKey
from fletcher.api import Answer, Api, OwnerRefusal
from fletcher.documents import ingest, link, removable, remove
from fletcher.errors import CommandError
from fletcher.settings import load_settings
from fletcher.watched_ingest import ingest_and_watch
from ingest import Change, Progress, Refusal, Scan, Source, Watch, scan
from server import Access, Limits
from tests.hostile_chroma import answering, answering_with
from tests.retrieval.small_embedder import SmallEmbedder
from tests.server.house import House, house

KEY = ProjectKey("local", "1")


OWNER = 1  # the process id that it says


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    limits = Limits(upload_bytes=10_000)
    with house(tmp_path / "data", limits=limits, access=Access(owner_key="key")) as opened:
        yield opened


@pytest.fixture
def api(home: House, tmp_path: Path) -> Iterator[Api]:
    with api_of(home, tmp_path / "data") as opened:
        yield opened


@contextmanager
def api_of(home: House, path: Path) -> Generator[Api]:
    with DataDirectory(path).own(home.url, "key"), Api(load_settings(data_dir=path), KEY) as opened:
        yield opened


class Owned:
    """A data directory with an owner that a test can end at any moment."""

    def __init__(self, path: Path) -> None:
        self.settings = load_settings(data_dir=path)
        self._ownership = DataDirectory(path).own()
        self._serving = ExitStack()
        self.next()

    def next(self) -> None:
        """Ends the owner; another one follows."""
        self._serving.close()
        self.home = self._serving.enter_context(house(self.settings.data_dir))
        self.announce(self.home.url)

    def announce(self, url: str) -> None:
        """Says where the owner answers."""
        self._ownership.owner_file.write_text(json.dumps({"pid": OWNER, "url": url, "key": "key"}))

    def api(self) -> Api:
        """A context manager, as `Api`."""
        return Api(self.settings, KEY)

    def end(self) -> None:
        """Ends the owner; the directory is free."""
        self._serving.close()
        self._ownership.release()


@pytest.fixture
def owned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Owned]:
    monkeypatch.setattr("fletcher.wiring.Embedder", lambda _model: SmallEmbedder())  # pyright: ignore
    opened = Owned(tmp_path / "data")
    yield opened
    opened.end()


def nobody(_: Progress) -> None:
    pass


def listed(api: Api) -> list[Answer]:
    return api.ask("GET", "documents")["documents"]


def names(documents: list[Answer]) -> list[str]:
    return sorted(document["name"] for document in documents)


def statuses(report: Answer) -> list[str]:
    return [document["status"] for document in report["documents"]]


def test_what_lies_in_a_refused_folder_is_not_gone(home: House, api: Api, tmp_path: Path) -> None:
    for name in ("quests/ferry.md", "quests-old.md", "gone.md"):
        home.put(name, f"The text of {name}.")
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (folder / "quests").symlink_to(elsewhere)
    (folder / "bible.md").write_text("Elena keeps the lighthouse.")
    report = ingest(api, scan(folder), sync=True, progress=nobody)
    assert [(document["name"], document["status"]) for document in report["documents"]] == [
        ("bible.md", "indexed"),
        ("quests", "skipped"),
        ("gone.md", "removed"),
        ("quests-old.md", "removed"),
    ]
    assert names(listed(api)) == ["bible.md", "quests/ferry.md"]


def test_nothing_is_removed_where_nothing_has_come_in_its_place(home: House, api: Api) -> None:
    home.put("before.md", "There before.")
    ingest(api, [Source("new.pdf", b"no PDF")], sync=True, progress=nobody)
    assert names(listed(api)) == ["before.md"]
    ingest(api, [Source("new.pdf", b"no PDF")], sync=True, gone=["before.md"], progress=nobody)
    assert not listed(api)


class WatchOnce(Watch):
    """Watches until its first change has been dealt with."""

    def done(self, change: Change, again: Collection[str] = ()) -> None:
        super().done(change, again)
        self._stop.set()


def test_nor_where_nothing_of_one_of_the_folders_was_taken_in(
    home: House, api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.put("before.md", "There before.")
    for name, text in {"good/a.md": "The ferry.", "bad/empty.md": ""}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    folders = [tmp_path / name for name in ("good", "bad")]
    scans = [scan(folder) for folder in folders]
    ingest(api, Scan.of(scans), sync=True, folders=scans, progress=nobody)
    assert names(listed(api)) == ["a.md", "before.md"]
    monkeypatch.setattr("fletcher.watched_ingest.Watch", WatchOnce)
    ingest_and_watch(load_settings(data_dir=tmp_path / "data"), KEY, folders, sync=True, as_json=True)
    assert names(listed(api)) == ["a.md", "before.md"]
    ingest(api, scans[0], sync=True, folders=scans[:1], progress=nobody)
    assert names(listed(api)) == ["a.md"]


def test_what_others_add_while_a_folder_goes_in_stays(home: House, api: Api) -> None:
    home.put("before.md", "There before.")

    def progress(event: Progress) -> None:
        if event.phase == "done":
            home.put("meanwhile.md", "Added meanwhile.")

    ingest(api, [Source("a.md", b"The ferry.")], sync=True, progress=progress)
    assert names(listed(api)) == ["a.md", "meanwhile.md"]


def test_the_report_is_that_of_an_ingest_without_an_api(home: House, api: Api) -> None:
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
    alone = home.ingestor.index(ProjectKey("local", "2"), sources).as_dict()["documents"]
    sent = ingest(api, sources, sync=False, progress=nobody)["documents"]
    told = ("name", "status", "pages", "error")
    assert [[each[field] for field in told] for each in sent] == [[each[field] for field in told] for each in alone]
    assert sent[1]["error"]["code"] == "DUPLICATE_NAME"
    assert sent[-1]["passages"] == 1, "the older version stays"
    document = next(document for document in home.catalog.documents(KEY) if document.name == "a.md")
    assert home.catalog.text(KEY, document.id) == "The ferry is called Bittern."


def test_each_status_once_the_vectors_are_there(home: House, api: Api) -> None:
    for name in ("same.md", "changed.md"):
        home.put(name, f"The text of {name}.")
    home.ingestor.add(KEY, [Source("lacking.md", b"Its vectors were never made.")])
    sources = [
        Source("same.md", b"The text of same.md."),
        Source("changed.md", b"Another text."),
        Source("lacking.md", b"Its vectors were never made."),
        Source("new.md", b"New."),
    ]
    report = ingest(api, sources, sync=False, progress=nobody)
    assert statuses(report) == ["unchanged", "updated", "indexed", "indexed"]
    assert all(document["embedded"] == document["passages"] == 1 for document in report["documents"])


def test_a_thousand_notes_take_few_requests_and_each_is_told(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fletcher.documents._MOST_DOCUMENTS", 3)
    monkeypatch.setattr("fletcher.documents._MOST_BYTES", 100)
    told: list[Progress] = []
    sources = [Source(f"{number}.md", b"x" * (90 if number == 4 else 1)) for number in range(8)]
    report = ingest(api, sources, sync=False, progress=told.append)
    assert [document["name"] for document in report["documents"]] == [source.name for source in sources]
    assert {document["status"] for document in report["documents"]} == {"indexed"}
    read = [event for event in told if event.phase == "reading"]
    assert [(event.document, event.done, event.total) for event in read if not event.page] == [
        (f"{number}.md", number, 8) for number in range(8)
    ]


def test_names_arrive_as_they_are(owned: Owned) -> None:
    given = ['a"b.md', "50%22.md", "new; line=1.md", "søl ∂.md"]
    with owned.api() as api:
        ingest(api, [Source(name, f"Of {name}.".encode()) for name in given], sync=False, progress=nobody)
        assert names(listed(api)) == sorted(given)
        assert [remove(api, name)["status"] for name in given] == ["removed"] * 4


LARGE = b"Allwinterlongthelampburned." * 3_000


@pytest.mark.parametrize(
    ("given", "most_in_json"),
    [
        (["50%22.md", "new; line=1.md", "søl ∂.md", "quests/a 'b'.md", "c: d.md"], 10_000),
        (['a"b.md'], 2**20),  # which a form has no way to name
    ],
)
def test_large_documents_arrive_as_they_are(tmp_path: Path, given: list[str], most_in_json: int) -> None:
    limits = Limits(json_upload_bytes=most_in_json)
    large = {name: LARGE + f" The ferry is called {name}.".encode() for name in given}
    with house(tmp_path, limits=limits, access=Access(owner_key="key")) as home:
        with api_of(home, tmp_path) as api:
            sent = ingest(api, [Source(*each) for each in large.items()], sync=False, progress=nobody)["documents"]
        assert [(each["name"], each["status"], each["error"]) for each in sent] == [
            (name, "indexed", None) for name in given
        ]
        found = {each.name: home.catalog.text(KEY, each.id).encode() for each in home.catalog.documents(KEY)}
        assert found == large


@pytest.mark.parametrize("size", [20_000, 30_000_000])
def test_a_document_that_the_owner_refuses_fails_alone(home: House, api: Api, size: int) -> None:
    home.put("b.md", "The version before it grew.")
    sources = [Source("a.md", b"A."), Source("b.md", b"b" * size), Source("c.md", b"C.")]
    report = ingest(api, sources, sync=True, progress=nobody)
    assert statuses(report) == ["indexed", "failed", "indexed"]
    refused = report["documents"][1]
    assert "FLETCHER_MAX_UPLOAD_BYTES" in refused["error"]["message"]
    assert refused["passages"] == 1
    assert names(listed(api)) == ["a.md", "b.md", "c.md"]


def test_an_ingest_goes_on_with_the_next_owner(owned: Owned) -> None:
    sources = [Source("a.md", b"The ferry."), Source("b.md", b"The harbour.")]
    first = owned.home
    ends = True

    def progress(event: Progress) -> None:
        nonlocal ends
        if ends and event.phase == "done":
            ends = False
            owned.next()

    with owned.api() as api:
        report = ingest(api, sources, sync=True, progress=progress)
    assert owned.home is not first
    assert statuses(report) == ["indexed", "indexed"]


def test_an_ingest_goes_on_here_when_the_owner_is_done(owned: Owned) -> None:
    for name in ("a.md", "b.md"):
        owned.home.put(name, "The ferry.")
    sources = [Source(name, b"The ferry.") for name in ("a.md", "b.md")]

    def progress(event: Progress) -> None:
        if event.phase == "done":
            owned.end()

    with owned.api() as api:
        assert api.owner.pid == OWNER
        assert statuses(ingest(api, sources, sync=False, progress=progress)) == ["unchanged", "unchanged"]
        assert api.owner.pid == os.getpid()


def test_reading_goes_on_here_when_the_owner_is_done(owned: Owned) -> None:
    owned.home.put("a.md", "The ferry.")

    with owned.api() as api:
        assert api.owner.pid == OWNER
        owned.end()
        assert names(listed(api)) == ["a.md"]


def test_an_owner_that_ends_is_not_the_last_word(owned: Owned) -> None:
    """A short command owns the directory for a moment: who asks it just then asks again."""
    owned.home.put("a.md", "The ferry.")

    def ends(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
        owned.end()
        return 503, json.dumps({"error": {"code": "SERVER_CLOSING", "message": "The server ends."}}).encode()

    with answering_with(ends) as url:
        owned.announce(url)
        with owned.api() as api:
            assert names(listed(api)) == ["a.md"]


@pytest.mark.parametrize(("status", "answer"), [(200, b"<html>"), (404, b"<html>"), (404, b'{"detail": "Not Found"}')])
def test_an_answer_of_another_program_is_said_to_be_one(owned: Owned, status: int, answer: bytes) -> None:
    with answering(status, answer) as url:
        owned.announce(url)
        with owned.api() as api, pytest.raises(OwnerRefusal, match=f"{url}.* answers {status}.*Stop what runs there"):
            api.ask("GET", "documents")


@pytest.mark.parametrize("carried_out", [True, False])
def test_a_removal_is_carried_out_once(owned: Owned, monkeypatch: pytest.MonkeyPatch, carried_out: bool) -> None:
    """The owner ends while it removes: its answer is lost, and it did its work or it did not."""
    owned.home.put("a.md", "The ferry.")
    with owned.api() as api:

        def removes(method: str, path: str, **_: object) -> Answer:
            if method == "DELETE":
                monkeypatch.undo()
                if carried_out:
                    api.ask(method, path)
                owned.end()
            return Api.ask(api, method, path)

        monkeypatch.setattr(api, "ask", removes)
        removed = remove(api, "a.md")
        assert (removed["name"], removed["status"]) == ("a.md", "removed")
        assert listed(api) == []


def test_an_owner_that_keeps_the_directory_and_is_silent_is_named(
    owned: Owned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fletcher.api._WAIT_FOR_ITS_END_S", 0.0)
    owned.announce("http://127.0.0.1:1")
    with owned.api() as api, pytest.raises(CommandError, match="does not answer"):
        listed(api)


def test_a_linked_folder_is_linked_shown_and_unlinked(home: House, api: Api, tmp_path: Path) -> None:
    folder = tmp_path / "design"
    folder.mkdir()
    (folder / "bible.md").write_text("Elena keeps the lighthouse.")
    linked = link(api, folder)
    assert [(document["name"], document["status"]) for document in linked["documents"]] == [("bible.md", "indexed")]
    shown = api.ask("GET", "folder")
    assert (shown["project"], shown["path"], shown["problem"]) == ("1", str(folder), None)
    assert names(shown["documents"]) == ["bible.md"]
    assert removable(api) == {}
    assert api.ask("DELETE", "folder")["path"] == str(folder)
    assert removable(api).keys() == {"bible.md"}
    with pytest.raises(OwnerRefusal, match="no linked folder"):
        api.ask("GET", "folder")


def test_what_is_gone_is_removed_and_what_is_the_folders_is_not(home: House, api: Api, tmp_path: Path) -> None:
    (tmp_path / "bible.md").write_text("Elena keeps the lighthouse.")
    for name in ("a.md", "b.md"):
        home.put(name, f"The text of {name}.")
    home.catalog.link_folder(KEY, str(tmp_path))
    home.catalog.put_folder_documents(KEY, ["b.md"])
    report = ingest(api, [Source("c.md", b"C.")], sync=False, gone=["a.md", "unknown.md"], progress=nobody)
    assert [(document["name"], document["status"]) for document in report["documents"]] == [
        ("c.md", "indexed"),
        ("a.md", "removed"),
    ]
    ingest(api, [Source("d.md", b"D.")], sync=True, progress=nobody)
    assert names(listed(api)) == ["b.md", "d.md"]
