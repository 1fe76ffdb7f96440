"""The folder that belongs to a project: linked, followed, missing."""

import gc
import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.responses import JSONResponse

from corpora import CatalogError, LinkedFolder, ProjectKey
from ingest import Change, Extracted, FolderRoots, FolderUnusable, IngestReport, ReadError, Watch
from ingest.folder import Look, Scan, look_into, open_plain_file
from tests.agent.scripted_model import PATIENCE_S
from tests.server.folders.linking import error, link, linked, names, owned, owner
from tests.server.house import House
from tests.waiting import eventually


def test_a_folder_is_linked_shown_and_unlinked(http: httpx.Client, folder: Path) -> None:
    report = link(http, folder)
    assert set(report) == {"project", "path", "problem", "documents"}
    assert (report["project"], report["path"], report["problem"]) == ("1", str(folder), None)
    assert {document["name"]: document["status"] for document in report["documents"]} == {
        "bible.md": "searchable",
        "ferry.md": "searchable",
        "map.xyz": "skipped",
    }
    found = http.get("/projects/1/search", params={"q": "What is the ferry called?"}).json()["passages"]
    assert found[0]["document"] == "ferry.md"
    assert names(linked(http)) == ["bible.md", "ferry.md"]

    assert error(http.delete("/projects/1/documents/ferry.md")) == (409, "DOCUMENT_OF_FOLDER")
    assert names(http.delete("/projects/1/folder").json()) == ["bible.md", "ferry.md"]
    for ask in (http.get, http.delete):
        assert error(ask("/projects/1/folder")) == (404, "FOLDER_NOT_FOUND")
    assert http.delete("/projects/1/documents/ferry.md").status_code == 200
    assert names(http.get("/projects/1/documents").json()) == ["bible.md"]


def test_what_happens_in_the_folder_happens_in_the_corpus(http: httpx.Client, folder: Path) -> None:
    link(http, folder)
    (folder / "bible.md").write_text("# Elena\n\nShe went to the lighthouse of Pell.")
    (folder / "ferry.md").rename(folder / "boats.md")
    eventually(lambda: names(linked(http)) == ["bible.md", "boats.md"])
    found = http.get("/projects/1/search", params={"q": "Pell"}).json()["passages"]
    assert "Pell" in found[0]["text"]
    (folder / "boats.md").unlink()
    eventually(lambda: names(linked(http)) == ["bible.md"])


def test_what_was_told_of_a_folder_is_not_kept(http: httpx.Client, folder: Path) -> None:
    """It may name 20,000 files that are no documents."""
    link(http, folder)

    def reports() -> list[IngestReport]:
        gc.collect()
        return [each for each in gc.get_objects() if type(each) is IngestReport]

    eventually(lambda: not reports())
    (folder / "ferry.md").unlink()
    eventually(lambda: names(linked(http)) == ["bible.md"])


def test_projects_have_their_own_folders(http: httpx.Client, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "bible.md").write_text("Another world.")
    link(http, folder, 1)
    link(http, other, 2)
    (other / "bible.md").unlink()
    eventually(lambda: names(http.get("/projects/2/documents").json()) == [])
    assert names(http.get("/projects/1/documents").json()) == ["bible.md", "ferry.md"]


def test_another_folder_replaces_the_first_and_leaves_uploads(
    home: House, http: httpx.Client, folder: Path, tmp_path: Path
) -> None:
    home.put("upload.md", "Sent by the editor.")
    link(http, folder)
    second = tmp_path / "second"
    second.mkdir()
    (second / "harbour.md").write_text("It freezes in winter.")
    statuses = {document["name"]: document["status"] for document in link(http, second)["documents"]}
    assert statuses == {"harbour.md": "searchable", "bible.md": "removed", "ferry.md": "removed"}
    (folder / "late.md").write_text("Nobody looks here any more.")
    (second / "quay.md").write_text("It is wet.")
    eventually(lambda: names(linked(http)) == ["harbour.md", "quay.md"])
    assert names(http.get("/projects/1/documents").json()) == ["harbour.md", "quay.md", "upload.md"]
    replaced = http.post("/projects/1/corpus", json={"documents": [], "replace": True}).json()
    assert names(replaced) == ["upload.md"]


def test_of_very_many_files_that_are_no_documents_the_first_are_listed(
    http: httpx.Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.folder_report._MOST_SKIPPED", 3)
    render, encoded_by = JSONResponse.render, list[str]()

    def render_here(response: JSONResponse, content: Any) -> bytes:
        encoded_by.append(threading.current_thread().name.partition("_")[0])
        return render(response, content)

    monkeypatch.setattr(JSONResponse, "render", render_here)
    for number in range(9):
        (folder / f"{number}.xyz").touch()
    report = link(http, folder)
    assert len(names(report)) == 2 + 3
    assert {"bible.md", "ferry.md"} <= set(names(report))
    assert report["skipped_more"] == 7
    assert "skipped_more" not in linked(http)
    assert encoded_by == ["computing"] * 2


def test_of_more_links_than_there_may_be_the_first_are_followed_and_the_others_named(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with owned(tmp_path / "data") as home, owner(home) as http:
        link(http, folder)
        link(http, folder, project=2)
    monkeypatch.setattr("server.background.linked_folders.MOST_FOLDERS", 1)
    with owned(tmp_path / "data") as home, owner(home) as http:
        eventually(lambda: http.get("/projects/2/folder").json()["problem"])
        assert http.get("/projects/2/folder").json()["problem"]["code"] == "TOO_MANY_FOLDERS"
        (folder / "bible.md").unlink()
        eventually(lambda: names(linked(http)) == ["ferry.md"])
        assert names(http.get("/projects/2/folder").json()) == ["bible.md", "ferry.md"]
        assert linked(http)["problem"] is None


def test_a_restart_makes_up_for_what_happened_meanwhile(tmp_path: Path, folder: Path) -> None:
    with owned(tmp_path / "data") as home, owner(home) as http:
        link(http, folder)
    (folder / "ferry.md").unlink()
    (folder / "harbour.md").write_text("It freezes in winter.")
    with owned(tmp_path / "data") as home, owner(home) as http:
        eventually(lambda: names(linked(http)) == ["bible.md", "harbour.md"])


def test_a_folder_that_disappears_keeps_its_documents(
    http: httpx.Client, folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    link(http, folder)
    folder.rename(tmp_path / "drive")
    eventually(lambda: (linked(http)["problem"] or {}).get("code") == "FOLDER_MISSING")
    assert names(linked(http)) == ["bible.md", "ferry.md"]
    assert "Its documents are kept" in caplog.text
    (tmp_path / "drive" / "ferry.md").unlink()
    (tmp_path / "drive").rename(folder)
    eventually(lambda: linked(http)["problem"] is None and names(linked(http)) == ["bible.md"])


@pytest.mark.parametrize("leaves_its_place", [False, True])
def test_a_drive_that_is_out_when_the_server_starts(tmp_path: Path, folder: Path, leaves_its_place: bool) -> None:
    with owned(tmp_path / "data") as home, owner(home) as http:
        link(http, folder)
    folder.rename(tmp_path / "drive")
    if leaves_its_place:
        folder.mkdir()
    with owned(tmp_path / "data") as home, owner(home) as http:
        code = "FOLDER_EMPTY" if leaves_its_place else "FOLDER_MISSING"
        eventually(lambda: (linked(http)["problem"] or {}).get("code") == code)
        assert names(linked(http)) == ["bible.md", "ferry.md"]
        if leaves_its_place:  # named by its user, an empty folder is believed
            assert {document["status"] for document in link(http, folder)["documents"]} == {"removed"}
            assert names(linked(http)) == []


def test_a_folder_that_cannot_be_followed_keeps_no_other_waiting(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    with owned(tmp_path / "data") as home, owner(home) as http:
        link(http, broken, 1)
        link(http, folder, 2)

    def watch(paths: list[str], *args: Any, **options: Any) -> Watch:
        if paths == [str(broken)]:
            raise OSError(5, "Input/output error")
        return Watch(paths, *args, **options)

    monkeypatch.setattr("server.background.linked_folders.Watch", watch)
    (folder / "late.md").write_text("The harbour freezes.")
    with owned(tmp_path / "data") as home, owner(home) as http:
        eventually(lambda: "late.md" in names(http.get("/projects/2/documents").json()))


def test_a_drive_that_hangs_keeps_no_other_workspace_waiting_and_no_server_from_its_end(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = tmp_path / "hanging"
    hanging.mkdir()
    with owned(tmp_path / "data", tokens=True) as home, owner(home, "ada") as ada, owner(home, "bo") as bo:
        link(ada, hanging)
        link(bo, folder)
    back, require_allowed = threading.Event(), FolderRoots.require_allowed

    def looked_at(roots: FolderRoots, path: Path, *args: Any, **options: Any) -> None:
        if path == hanging:
            assert back.wait(PATIENCE_S)
        require_allowed(roots, path, *args, **options)

    monkeypatch.setattr(FolderRoots, "require_allowed", looked_at)
    monkeypatch.setattr("server.background.linked_folders._END_S", 0.1)
    (folder / "late.md").write_text("The harbour freezes.")
    try:
        with owned(tmp_path / "data", tokens=True) as home, owner(home, "bo") as bo:
            eventually(lambda: "late.md" in names(bo.get("/projects/1/documents").json()))
    finally:
        back.set()


def test_a_drive_that_hangs_while_it_is_looked_into_keeps_no_other_workspace_waiting(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging, back, look = threading.Event(), threading.Event(), Watch._change  # pyright: ignore[reportPrivateUsage]
    (drive := tmp_path / "drive").mkdir()

    def looked_into(watch: Watch, looks: list[Look], now: float) -> Change | None:
        if looks[0].folder == drive:
            hanging.set()
            assert back.wait(PATIENCE_S)
        return look(watch, looks, now)

    monkeypatch.setattr(Watch, "_change", looked_into)
    monkeypatch.setattr("server.background.linked_folders._LOOKS", 1)
    with (
        owned(tmp_path / "data", tokens=True) as home,
        owner(home, "ada") as ada,
        owner(home, "bo") as bo,
        ThreadPoolExecutor() as threads,
    ):
        threads.submit(link, ada, drive)
        try:
            assert hanging.wait(PATIENCE_S)
            assert names(link(bo, folder)) == ["bible.md", "ferry.md", "map.xyz"]
        finally:
            back.set()


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Whether somebody follows no more, which is waited for as briefly as can be."""
    monkeypatch.setattr("server.background.linked_folders._END_S", 0.1)
    ended, close = threading.Event(), Watch.close

    def closed(watch: Watch) -> None:
        close(watch)
        ended.set()

    monkeypatch.setattr(Watch, "close", closed)
    return ended


def test_a_folder_whose_drive_hangs_is_unlinked_and_another_one_linked(
    http: httpx.Client, folder: Path, tmp_path: Path, ended: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_out, hanging, back = threading.Event(), threading.Event(), threading.Event()

    def looked_into(path: Path, *args: Any, **options: Any) -> Look:
        if path == folder and is_out.is_set():
            hanging.set()
            assert back.wait(PATIENCE_S)
        return look_into(path, *args, **options)

    monkeypatch.setattr("ingest.watched_path.look_into", looked_into)
    link(http, folder)
    is_out.set()
    (folder / "late.md").write_text("The harbour freezes.")
    (second := tmp_path / "second").mkdir()
    (second / "storm.md").write_text("The storm comes at night.")
    try:
        assert hanging.wait(PATIENCE_S)
        with monkeypatch.context() as patched:  # as many are late already
            patched.setattr("server.background.linked_folders._MOST_LATE", 0)
            assert error(http.delete("/projects/1/folder")) == (422, "FOLDER_UNUSABLE")
        assert http.delete("/projects/1/folder").status_code == 200
        assert names(link(http, second)) == ["storm.md"]
    finally:
        back.set()
    assert ended.wait(PATIENCE_S)
    assert names(http.get("/projects/1/documents").json()) == ["bible.md", "ferry.md", "storm.md"]


def test_what_a_drive_has_kept_is_not_taken_in_after_its_folder_is_unlinked(
    home: House, http: httpx.Client, folder: Path, ended: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging, back = threading.Event(), threading.Event()

    def opened(path: Path, *args: Any) -> Any:
        if path.name == "ferry.md":
            hanging.set()
            assert back.wait(PATIENCE_S)
        return open_plain_file(path, *args)

    monkeypatch.setattr("ingest.folder.open_plain_file", opened)
    with owner(home) as own, ThreadPoolExecutor() as threads:
        linking = threads.submit(own.put, "/projects/1/folder", json={"path": str(folder)})
        try:
            assert hanging.wait(PATIENCE_S)
            assert http.delete("/projects/1/folder").status_code == 200
            assert error(linking.result(PATIENCE_S)) == (503, "SERVER_CLOSING")
        finally:
            back.set()
    assert ended.wait(PATIENCE_S)
    assert names(http.get("/projects/1/documents").json()) == ["bible.md"]


def test_a_folder_is_unlinked_once_what_was_read_of_it_is_written(
    home: House, http: httpx.Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.background.linked_folders._END_S", 0.0)
    put, unlink, read = home.catalog.put_document, home.catalog.unlink_folder, home.readers.read
    stops, done, reading = list[threading.Event](), list[str](), threading.Event()

    def watch(paths: list[str], stop: threading.Event, **options: Any) -> Watch:
        stops.append(stop)
        return Watch(paths, stop, **options)

    def slow(*args: Any, **options: Any) -> Extracted:
        reading.set()
        assert stops[0].wait(PATIENCE_S)
        return read(*args, **options)

    def written(*args: Any, **options: Any) -> Any:
        stored = put(*args, **options)
        done.append("written")
        return stored

    def unlinked(key: ProjectKey) -> LinkedFolder:
        done.append("unlinked")
        return unlink(key)

    monkeypatch.setattr("server.background.linked_folders.Watch", watch)
    monkeypatch.setattr(home.readers, "read", slow)
    monkeypatch.setattr(home.catalog, "put_document", written)
    monkeypatch.setattr(home.catalog, "unlink_folder", unlinked)
    with owner(home) as own, ThreadPoolExecutor() as threads:
        threads.submit(own.put, "/projects/1/folder", json={"path": str(folder)})
        assert reading.wait(PATIENCE_S)
        assert http.delete("/projects/1/folder").status_code == 200
    assert done == ["written", "unlinked"]


def test_a_folder_whose_drive_hangs_when_the_server_starts_is_unlinked_and_another_one_linked(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (second := tmp_path / "second").mkdir()
    (second / "storm.md").write_text("The storm comes at night.")
    with owned(tmp_path / "data") as home, owner(home) as http:
        link(http, folder, 1)
        link(http, folder, 2)
    hanging, back, require_allowed = threading.Event(), threading.Event(), FolderRoots.require_allowed

    def looked_at(roots: FolderRoots, path: Path, *args: Any, **options: Any) -> None:
        if path == folder:
            hanging.set()
            assert back.wait(PATIENCE_S)
        require_allowed(roots, path, *args, **options)

    monkeypatch.setattr(FolderRoots, "require_allowed", looked_at)
    with owned(tmp_path / "data") as home, owner(home) as http:
        try:
            assert hanging.wait(PATIENCE_S)
            assert http.delete("/projects/1/folder").status_code == 200
            link(http, second, 2)
            assert names(http.get("/projects/2/documents").json()) == ["storm.md"]
        finally:
            back.set()
        assert error(http.get("/projects/1/folder")) == (404, "FOLDER_NOT_FOUND")


def test_who_names_a_drive_that_hangs_over_and_over_takes_few_threads(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back, asked, admit = threading.Event(), list[str](), FolderRoots.admit

    def admitted(roots: FolderRoots, path: str, *args: Any, **options: Any) -> Path:
        if path == "/drive":
            asked.append(path)
            assert back.wait(PATIENCE_S)
            raise FolderUnusable("It is away.")
        return admit(roots, path, *args, **options)

    monkeypatch.setattr(FolderRoots, "admit", admitted)
    with (
        owned(tmp_path / "data", tokens=True) as home,
        owner(home, "ada") as ada,
        owner(home, "bo") as bo,
        ThreadPoolExecutor(20) as threads,
    ):
        waiting = [threads.submit(ada.put, "/projects/1/folder", json={"path": "/drive"}) for _ in range(20)]
        try:
            eventually(lambda: len(asked) == 4)
            assert names(link(bo, folder)) == ["bible.md", "ferry.md", "map.xyz"]
            assert len(asked) == 4
        finally:
            back.set()
        assert {one.result().status_code for one in waiting} == {422}


def test_a_file_that_failed_for_a_reason_that_passes_is_taken_in_later(
    home: House, http: httpx.Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.watching._AGAIN_S", 0.0)
    read, refusals = home.readers.read, [ReadError("OUT_OF_MEMORY", "bible.md: it needs more."), None, None]

    def short_of_memory(name: str, data: bytes, *args: Any, **options: Any) -> Extracted:
        if name == "bible.md" and (refusal := refusals.pop(0)):
            raise refusal
        return read(name, data, *args, **options)

    monkeypatch.setattr(home.readers, "read", short_of_memory)
    assert names(link(http, folder)) == ["bible.md", "ferry.md", "map.xyz"]
    eventually(lambda: names(linked(http)) == ["bible.md", "ferry.md"])


@pytest.mark.parametrize(("changing", "asked"), [("link_folder", "PUT"), ("unlink_folder", "DELETE")])
def test_a_folder_is_followed_on_where_its_link_cannot_be_changed(
    home: House,
    http: httpx.Client,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changing: str,
    asked: str,
) -> None:
    def full(*_given: Any, **_options: Any) -> None:
        raise CatalogError("The catalog failed: database or disk is full.")

    (tmp_path / "second").mkdir()
    link(http, folder)
    monkeypatch.setattr(home.catalog, changing, full)
    answer = http.request(asked, "/projects/1/folder", json={"path": str(tmp_path / "second")})
    assert error(answer) == (503, "CATALOG_ERROR")
    (folder / "late.md").write_text("The harbour freezes.")
    eventually(lambda: names(linked(http)) == ["bible.md", "ferry.md", "late.md"])


def test_both_are_followed_on_where_a_second_link_cannot_be_changed_while_the_first_is_looked_after(
    home: House, http: httpx.Client, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    link(http, folder, 1)
    link(http, other, 2)
    begun, passed, failed = threading.Event(), threading.Event(), threading.Event()
    linked_folder = home.catalog.linked_folder

    def full(key: ProjectKey, *_given: Any, **_options: Any) -> None:
        if key.project_id == "2":
            begun.set()
            passed.wait(PATIENCE_S)
            failed.set()
        raise CatalogError("The catalog failed: database or disk is full.")

    def looked_at(key: ProjectKey) -> LinkedFolder | None:
        if key.project_id == "2" and begun.is_set():
            passed.set()
            failed.wait(PATIENCE_S)
        return linked_folder(key)

    monkeypatch.setattr(home.catalog, "link_folder", full)
    monkeypatch.setattr(home.catalog, "linked_folder", looked_at)

    def change() -> None:
        with owner(home) as own:
            own.put("/projects/2/folder", json={"path": str(other)})

    second = threading.Thread(target=change)
    second.start()
    assert begun.wait(PATIENCE_S)
    http.put("/projects/1/folder", json={"path": str(folder)})
    second.join(PATIENCE_S)
    (folder / "late.md").write_text("The harbour freezes.")
    (other / "late.md").write_text("The harbour freezes.")
    eventually(lambda: "late.md" in names(linked(http)))
    eventually(lambda: "late.md" in names(http.get("/projects/2/documents").json()))


def test_a_long_first_reading_ends_when_the_folder_is_unlinked(home: House, http: httpx.Client, folder: Path) -> None:
    home.readers.may_go_on.clear()
    answers: dict[str, httpx.Response] = {}

    def ask(method: str, **options: Any) -> threading.Thread:
        def request() -> None:
            with owner(home) as own:
                answers[method] = own.request(method, "/projects/1/folder", **options)

        thread = threading.Thread(target=request)
        thread.start()
        return thread

    linking = ask("PUT", json={"path": str(folder)})
    assert home.readers.reading.wait(PATIENCE_S)
    unlinking = ask("DELETE")
    home.readers.may_go_on.set()
    for thread in (linking, unlinking):
        thread.join(PATIENCE_S)
    assert answers["DELETE"].status_code == 200
    assert error(http.get("/projects/1/folder")) == (404, "FOLDER_NOT_FOUND")


def test_folders_are_looked_at_in_turn_by_workspace(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What their files are; also where none of a workspace's is done with that."""
    goes_on, under_way, most = threading.Event(), set[Path](), 0
    at_least_one = threading.Event()
    scan = Look.scan

    def scanned(look: Look, *args: Any) -> Scan:
        nonlocal most
        if look.folder.parent.name == "adas":
            under_way.add(look.folder)
            most = max(most, len(under_way))
            at_least_one.set()
            assert goes_on.wait(PATIENCE_S)
            under_way.discard(look.folder)
        return scan(look, *args)

    monkeypatch.setattr(Look, "scan", scanned)
    adas, bos = tmp_path / "adas", tmp_path / "bos"
    shutil.copytree(folder, bos)
    roots = {"ada": (adas,), "bo": (bos,)}
    with owned(tmp_path / "data", tokens=True, roots=roots) as home, ThreadPoolExecutor() as threads:

        def link_to(number: int) -> dict[str, Any]:
            shutil.copytree(folder, adas / str(number))
            with home.http(Authorization="Bearer ada's token") as ada:
                return link(ada, adas / str(number), number)

        answers = [threads.submit(link_to, number) for number in range(1, 6)]
        assert at_least_one.wait(PATIENCE_S)
        with home.http(Authorization="Bearer bo's token") as bo:
            assert "bible.md" in names(link(bo, bos))
        goes_on.set()
        assert all("bible.md" in names(answer.result(PATIENCE_S)) for answer in answers)
    assert most <= 2


def test_names_that_are_no_text_do_not_break_the_folder(http: httpx.Client, folder: Path) -> None:
    bad, bad_folder = os.fsencode(folder) + b"/caf\xe9.md", os.fsencode(folder) + b"/qu\xeates"
    try:
        os.mkdir(bad_folder)  # noqa: PTH102  (of bytes)
        for path in (bad, bad_folder + b"/harbour.md"):
            with open(path, "w") as file:  # noqa: PTH123
                file.write("Text.")
    except OSError:
        pytest.skip("this system has no such file names")
    report = {document["name"]: document for document in link(http, folder)["documents"]}
    for name in (r"caf\xe9.md", r"qu\xeates/harbour.md"):
        assert (report[name]["status"], report[name]["error"]["code"]) == ("failed", "INVALID_NAME")
        assert name in report[name]["error"]["message"]
    assert names(linked(http)) == ["bible.md", "ferry.md"]
    (folder / "boats.md").write_text("All others go on.")
    eventually(lambda: names(linked(http)) == ["bible.md", "boats.md", "ferry.md"])
    os.rename(bad, os.fsencode(folder) + b"/coffee.md")  # noqa: PTH104
    eventually(lambda: "coffee.md" in names(linked(http)))
    assert linked(http)["problem"] is None
