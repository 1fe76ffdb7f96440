"""Which folders may be linked, and by whom."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.server.folders.linking import error, link, linked, names, owned, owner
from tests.server.house import House, house
from tests.waiting import eventually


def test_folders_that_cannot_be_linked(home: House, http: httpx.Client, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "plain.md").write_text("A file.")
    (tmp_path / "data" / "inside").mkdir()
    for path, said in (
        ("design", "absolute"),
        ("/a\0b", r"/a\x00b"),
        ("/a\u202eb", r"/a\u202eb"),
        (tmp_path / "nowhere", "no such folder"),
        (tmp_path / "plain.md", "is a file"),
        (tmp_path / "data", "data directory"),
        (tmp_path / "data" / "inside", "data directory"),
        (tmp_path, "data directory"),
    ):
        answer = http.put("/projects/1/folder", json={"path": str(path)})
        assert error(answer) == (422, "FOLDER_UNUSABLE")
        assert said in answer.json()["error"]["message"]
    assert error(http.get("/projects/1/folder")) == (404, "FOLDER_NOT_FOUND")


def test_a_folder_that_may_not_be_read_is_refused(
    http: httpx.Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(path: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("ingest.roots.os.scandir", forbidden)
    answer = http.put("/projects/1/folder", json={"path": str(folder)})
    monkeypatch.undo()
    assert error(answer) == (422, "FOLDER_UNUSABLE")
    assert "Permission denied" in answer.json()["error"]["message"]


def test_only_below_the_operators_folders(tmp_path: Path, folder: Path) -> None:
    allowed = tmp_path / "allowed"
    shutil.copytree(folder, allowed / "game")
    (allowed / "way out").symlink_to(folder)
    with house(tmp_path / "data", roots={"local": (allowed,)}) as home, home.http() as http:
        for path in (folder, allowed / "way out", allowed / ".." / "design", tmp_path / "nowhere"):
            answer = http.put("/projects/1/folder", json={"path": str(path)})
            assert error(answer) == (403, "FOLDER_NOT_ALLOWED")
            message = answer.json()["error"]["message"]
            assert "FLETCHER_FOLDERS" in message
            assert message.startswith(f"{path} may not"), "where a link leads is nobody's to learn"
        assert link(http, allowed / "game")["path"] == str(allowed / "game")
    # What one operator allowed, the next need not.
    with house(tmp_path / "data", roots={"local": (tmp_path / "elsewhere",)}) as home, home.http() as http:
        eventually(lambda: (linked(http)["problem"] or {}).get("code") == "FOLDER_NOT_ALLOWED")
        assert names(linked(http)) == ["bible.md", "ferry.md"]


def bearer(home: House, token: str) -> httpx.Client:
    return home.http(Authorization=f"Bearer {token}")


def put(http: httpx.Client, folder: Path) -> tuple[int, str]:
    answer = http.put("/projects/1/folder", json={"path": str(folder)})
    return (200, "") if answer.is_success else error(answer)


def test_a_tenant_links_below_its_own_workspaces_folders_only(tmp_path: Path, folder: Path) -> None:
    adas, bos = tmp_path / "adas", tmp_path / "bos"
    shutil.copytree(folder, adas)
    shutil.copytree(folder, bos)
    roots = {"ada": (adas,), "bo": (bos,)}
    with (
        owned(tmp_path / "data", tokens=True, roots=roots) as home,
        bearer(home, "ada's token") as ada,
        bearer(home, "bo's token") as bo,
        owner(home, "carol") as owners,
    ):
        assert put(bo, adas) == put(ada, bos) == (403, "FOLDER_NOT_ALLOWED")
        assert put(owners, adas) == (403, "FOLDER_NOT_ALLOWED"), "where roots are set, they hold for everybody"
        assert put(ada, adas) == put(bo, bos) == (200, "")


@pytest.mark.parametrize("tokens", [True, False])
def test_without_roots_only_the_owner_has_files_of_the_machine_read(tmp_path: Path, folder: Path, tokens: bool) -> None:
    with owned(tmp_path / "data", tokens=tokens) as home:
        with bearer(home, "ada's token") as anybody:
            for path in (folder, tmp_path / "nowhere", Path("relative")):
                assert put(anybody, path) == (403, "FOLDER_NOT_ALLOWED")
            assert error(anybody.get("/projects/1/folder")) == (404, "FOLDER_NOT_FOUND")
        with owner(home, "ada" if tokens else "local") as owners:
            assert put(owners, folder) == (200, "")
        with bearer(home, "ada's token") as anybody:
            assert names(linked(anybody)) == ["bible.md", "ferry.md"], "it may see what the owner linked"


def test_what_was_linked_outside_of_its_workspaces_folders_is_not_followed_any_more(
    tmp_path: Path, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with owned(tmp_path / "data", tokens=True) as home, owner(home, "bo") as owners:
        assert put(owners, folder) == (200, "")
    (folder / "secret.md").write_text("For Ada alone.")
    roots = {"ada": (folder,)}
    with owned(tmp_path / "data", tokens=True, roots=roots) as home, bearer(home, "bo's token") as bo:
        eventually(lambda: (linked(bo)["problem"] or {}).get("code") == "FOLDER_NOT_ALLOWED")
        assert "'bo'" in linked(bo)["problem"]["message"]
        assert names(linked(bo)) == ["bible.md", "ferry.md"]
    assert "FLETCHER_FOLDERS" in caplog.text


@pytest.mark.parametrize("recorded", [True, False])
def test_what_somebody_else_has_linked_is_not_followed_without_roots(
    tmp_path: Path, folder: Path, recorded: bool, caplog: pytest.LogCaptureFixture
) -> None:
    folder = folder.rename(folder.with_name("game $(touch b)"))
    with owned(tmp_path / "data", roots={"local": (tmp_path,)}) as home, home.http() as http:
        link(http, folder)
        if not recorded:
            with closing(sqlite3.connect(tmp_path / "data" / "catalog.sqlite3")) as catalog, catalog:
                catalog.execute("UPDATE folders SET by_owner = NULL")
    (folder / "secret.md").write_text("Whoever runs the server has not linked this.")
    with owned(tmp_path / "data") as home, home.http() as http, owner(home) as owners:
        eventually(lambda: (linked(http)["problem"] or {}).get("code") == "FOLDER_NOT_ALLOWED")
        assert linked(http)["problem"]["message"].endswith(f"fletcher link '{folder}'"), "a shell runs nothing of it"
        assert names(linked(http)) == ["bible.md", "ferry.md"]
        assert f"{folder} is not read" in caplog.text
        assert "secret.md" in names(link(owners, folder))
    with owned(tmp_path / "data") as home, home.http() as http:
        (folder / "later.md").write_text("What the owner has linked is followed after a restart.")
        eventually(lambda: "later.md" in names(linked(http)))


def test_a_folder_that_becomes_a_way_out_is_not_followed(tmp_path: Path, folder: Path) -> None:
    game = tmp_path / "allowed" / "game"
    shutil.copytree(folder, game)
    (folder / "secret.md").write_text("Not for this project.")
    with house(tmp_path / "data", roots={"local": (tmp_path / "allowed",)}) as home, home.http() as http:
        link(http, game)
        shutil.rmtree(game)
        game.symlink_to(folder)
        eventually(lambda: (linked(http)["problem"] or {}).get("code") == "FOLDER_NOT_ALLOWED")
        assert names(linked(http)) == ["bible.md", "ferry.md"]
