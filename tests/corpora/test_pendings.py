"""Questions that wait for an answer."""

import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import pytest
from sqlalchemy import create_engine, delete, insert

from corpora import Catalog, CatalogError, Pending
from corpora import pendings as module
from corpora.schema import pendings as table


def test_a_question_is_kept_and_answered_once(catalog: Catalog) -> None:
    pending_id = catalog.put_pending("local", "1", "confirmation", {"operations": [{"node_id": 3}]}, "a" * 64)
    assert catalog.newest_pending("local", "1", "confirmation")
    pending = catalog.pop_pending("local", "1", pending_id)
    assert pending is not None
    assert (pending.id, pending.kind, pending.content_sha256) == (pending_id, "confirmation", "a" * 64)
    assert pending.payload == {"operations": [{"node_id": 3}]}
    assert catalog.pop_pending("local", "1", pending_id) is None
    assert not catalog.newest_pending("local", "1", "confirmation")


def test_what_belongs_to_a_content_is_found_by_it_the_newest_first(catalog: Catalog) -> None:
    ids = [catalog.put_pending("local", "1", "undo", {}, content) for content in "abaa"]
    catalog.put_pending("local", "1", "plan", {}, "a")
    catalog.put_pending("local", "2", "undo", {}, "a")
    kept = [catalog.newest_pending("local", "1", "undo", content) for content in "abc"]
    assert [one and one.id for one in kept] == [ids[3], ids[1], None]


def test_what_had_been_taken_back_when_an_undo_came_to_a_content_is_not_found_by_it(catalog: Catalog) -> None:
    first, second, third = (catalog.put_pending("local", "1", "undo", {}, content) for content in "aba")
    catalog.note_undone("local", "1", third, "b")
    again = catalog.newest_pending("local", "1", "undo", "a")
    catalog.note_undone("local", "1", second, "a")
    then = catalog.newest_pending("local", "1", "undo", "a")
    assert (again and again.id, then and then.id) == (third, first)
    assert [catalog.is_undone("local", key, content) for key, content in ("1a", "1b", "1c", "2a")] == [
        True, True, False, False,
    ]  # fmt: skip


def test_another_content_comes_in_the_place_of_the_one_that_is_kept(catalog: Catalog) -> None:
    first, second = (catalog.put_pending("local", "1", "undo", {"before": content}, content) for content in "ab")
    catalog.replace_pending("other", "1", first, {"before": "x"}, "x")
    catalog.replace_pending("local", "2", first, {"before": "x"}, "x")
    catalog.note_undone("local", "1", first, "a")
    catalog.replace_pending("local", "1", first, {"before": "c"}, "c")
    moved, newest = (catalog.newest_pending("local", "1", "undo", content) for content in ("c", None))
    assert moved
    assert newest
    assert (moved.id, moved.payload, newest.id) == (first, {"before": "c"}, second)
    assert not catalog.newest_pending("local", "1", "undo", "a")
    assert not catalog.is_undone("local", "1", "a")


def test_the_oldest_of_a_kind_are_forgotten(catalog: Catalog) -> None:
    others = [catalog.put_pending("local", *where, {}, "a") for where in (("1", "plan"), ("2", "undo"))]
    ids = [catalog.put_pending("local", "1", "undo", {}, "a", kept=2) for _ in range(4)]
    assert [catalog.pop_pending("local", "1", one) is not None for one in ids] == [False, False, True, True]
    assert [catalog.pop_pending("local", key, one) is not None for key, one in zip("12", others, strict=True)] == [
        True, True,
    ]  # fmt: skip


def test_what_is_taken_back_and_what_assistants_did_are_not_among_the_newest_of_the_users(catalog: Catalog) -> None:
    own = [catalog.put_pending("local", "1", "undo", {}, "a") for _ in range(2)]
    assistants = [catalog.put_pending("local", "1", "undo", {}, "a", by_assistant=True) for _ in range(4)]
    for _ in range(4):
        catalog.note_undone("local", "1", catalog.put_pending("local", "1", "undo", {}, "a", kept=3), "b")
    assert [catalog.pop_pending("local", "1", one) is not None for one in (*own, *assistants)] == [
        True, True, False, True, True, True,
    ]  # fmt: skip


def test_another_workspace_cannot_answer(catalog: Catalog) -> None:
    pending_id = catalog.put_pending("local", "1", "plan", {}, "a" * 64)
    assert catalog.pop_pending("other", "1", pending_id) is None
    assert not catalog.newest_pending("other", "1", "plan")
    assert catalog.pop_pending("local", "1", pending_id) is not None


def test_of_many_answers_at_once_one_counts(catalog: Catalog) -> None:
    pending_id = catalog.put_pending("local", "1", "plan", {}, "a" * 64)
    answers: list[Pending | None] = []
    threads = [
        threading.Thread(target=lambda: answers.append(catalog.pop_pending("local", "1", pending_id))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([answer for answer in answers if answer]) == 1


def test_questions_that_nobody_answered_go(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    old = catalog.put_pending("local", "1", "plan", {}, "a" * 64)
    monkeypatch.setattr(module, "_KEPT_FOR", timedelta(0))
    for _ in range(2):
        catalog.put_pending("local", "2", "plan", {}, "a" * 64)
    assert catalog.pop_pending("local", "1", old) is None


@pytest.mark.parametrize(("others", "there"), [(1, [False, False, True, True]), (2, [False] * 4)])
def test_what_is_too_old_goes_a_part_at_a_time(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, others: int, there: list[bool]
) -> None:
    """All of a workspace's at once kept the turns of the others waiting."""
    old = [catalog.put_pending("bo", "1", "undo", {"story": "x" * 100}, "a" * 64) for _ in range(4)]
    monkeypatch.setattr(module, "_KEPT_FOR", timedelta(0))
    monkeypatch.setattr(module, "_AT_A_TIME_BYTES", 150)
    for _ in range(others):
        catalog.put_pending("ada", "2", "plan", {}, "a" * 64)
    assert [catalog.pop_pending("bo", "1", one) is not None for one in old] == there


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_nobody_waits_for_what_another_server_removes(
    catalog: Catalog, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each may be waiting for the other's rows: a deadlock."""
    old = catalog.put_pending("bo", "1", "undo", {}, "a" * 64, kept=1)
    catalog.put_pending("bo", "2", "undo", {}, "a" * 64)
    monkeypatch.setattr(module, "_KEPT_FOR", timedelta(0))
    engine = create_engine(database_url)
    with closing(engine.connect()) as another, another.begin() as removing:
        another.execute(delete(table).where(table.c.id == old))
        catalog.put_pending("ada", "1", "undo", {}, "a" * 64)
        catalog.put_pending("bo", "1", "undo", {}, "a" * 64, kept=1)
        removing.rollback()
    engine.dispose()
    assert catalog.pop_pending("bo", "1", old)


def test_what_is_put_stays_where_the_disk_is_too_full_to_remove_what_is_too_old(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(Catalog(sqlite_url)) as catalog:
        catalog.put_pending("bo", "1", "undo", {}, "a" * 64)
        catalog.put_pending("bo", "2", "undo", {}, "a" * 64)
        monkeypatch.setattr(module, "_KEPT_FOR", timedelta(0))
        with closing(sqlite3.connect(tmp_path / "catalog-pendings.sqlite3")) as file:
            file.execute("CREATE TRIGGER full BEFORE DELETE ON pendings BEGIN SELECT RAISE(FAIL, 'disk is full'); END")
        catalog.put_pending("ada", "1", "undo", {}, "a" * 64)
        assert catalog.newest_pending("ada", "1", "undo")
        assert catalog.newest_pending("bo", "1", "undo")
        assert [record.levelname for record in caplog.records if "for longer than a week" in record.message]


class Clock(datetime):
    """A clock that is ahead."""

    ahead = timedelta(0)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:
        return datetime.now(tz) + cls.ahead


@pytest.mark.parametrize("ahead", [timedelta(hours=2), timedelta(days=8)])
def test_a_clock_that_is_put_back_leaves_the_last_turns_to_be_taken_back(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, ahead: timedelta
) -> None:
    monkeypatch.setattr(module, "datetime", Clock)
    for before in (ahead, timedelta(0)):
        monkeypatch.setattr(Clock, "ahead", before)
        ids = [catalog.put_pending("local", "1", "undo", {}, f"{number}", kept=3) for number in range(4)]
    newest = catalog.newest_pending("local", "1", "undo")
    assert newest
    assert newest.id == ids[3]
    assert kept(catalog, *[("1", one) for one in ids]) == [False, True, True, True]


def test_a_clock_that_is_ahead_for_one_turn_drops_no_other(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "datetime", Clock)
    ids: list[str] = []
    for ahead in (0, 8, 0):
        monkeypatch.setattr(Clock, "ahead", timedelta(days=ahead))
        ids.append(catalog.put_pending("local", "1", "undo", {}, "a"))
    assert kept(catalog, *[("1", one) for one in ids]) == [True, True, True]


def test_a_clock_that_is_put_back_between_two_undos_changes_nothing_about_them(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "datetime", Clock)
    first, second, third = (catalog.put_pending("local", "1", "undo", {}, content) for content in "aba")
    for one, content, ahead in ((third, "b", 2), (second, "a", 0)):
        monkeypatch.setattr(Clock, "ahead", timedelta(hours=ahead))
        catalog.note_undone("local", "1", one, content)
    then = catalog.newest_pending("local", "1", "undo", "a")
    assert then
    assert then.id == first


def kept(catalog: Catalog, *pendings: tuple[str, str]) -> list[bool]:
    return [catalog.pop_pending("local", project, pending_id) is not None for project, pending_id in pendings]


def test_the_oldest_of_a_project_make_room(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_OF_PROJECT_BYTES", 250)
    other = catalog.put_pending("local", "2", "undo", {"before": "x" * 100}, "a")
    ids = [catalog.put_pending("local", "1", kind, {"before": "x" * 100}, "a") for kind in ("undo", "undo", "undo")]
    assert kept(catalog, *[("1", one) for one in ids], ("2", other)) == [False, True, True, True]


def test_plans_that_nobody_answers_push_no_undo_out(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_OF_PROJECT_BYTES", 250)
    ids = [catalog.put_pending("local", "1", kind, {"before": "x" * 100}, "a") for kind in ("undo", *["plan"] * 3)]
    assert kept(catalog, *[("1", one) for one in ids]) == [True, False, True, True]


def test_the_oldest_of_a_workspace_make_room(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_OF_WORKSPACE_BYTES", 350)
    elsewhere = catalog.put_pending("elsewhere", "1", "undo", {"before": "x" * 300}, "a")
    ids = [catalog.put_pending("local", str(number), "undo", {"before": "x" * 100}, "a") for number in range(4)]
    assert kept(catalog, *[(str(number), one) for number, one in enumerate(ids)]) == [False, True, True, True]
    assert catalog.pop_pending("elsewhere", "1", elsewhere) is not None


def test_a_workspace_has_so_many_and_no_more(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_OF_WORKSPACE", 2)
    ids = [catalog.put_pending("local", str(number), "plan", {}, "a") for number in range(4)]
    assert kept(catalog, *[(str(number), one) for number, one in enumerate(ids)]) == [False, False, True, True]


@pytest.mark.parametrize("limit", ["_OF_PROJECT_BYTES", "_OF_WORKSPACE_BYTES", "_OF_WORKSPACE"])
def test_what_assistants_leave_pushes_out_nothing_of_the_users(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(module, limit, 2 if limit == "_OF_WORKSPACE" else 250)
    put, long = catalog.put_pending, {"before": "x" * 100}
    own = [put("local", "1", kind, long, "a") for kind in ("undo", "confirmation")]
    done = [put("local", "1", "undo", long, "a", by_assistant=True) for _ in range(3)]
    asked = [put("local", "1", "confirmation", long, "a", by_assistant=True) for _ in range(3)]
    expected = [True, True, False, True, True, False, True, True]
    assert kept(catalog, *[("1", one) for one in (*own, *done, *asked)]) == expected


def test_the_newest_stays_however_long_it_is(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_OF_PROJECT_BYTES", 10)
    ids = [catalog.put_pending("local", "1", "undo", {"before": "x" * 100}, "a") for _ in range(2)]
    assert kept(catalog, *[("1", one) for one in ids]) == [False, True]


def test_what_an_older_fletcher_kept_in_the_catalog_itself_is_taken_over_once(sqlite_url: str) -> None:
    Catalog(sqlite_url).close()
    row = {"workspace": "local", "project_id": "1", "payload": {}, "content_sha256": "a"}
    engine, now = create_engine(sqlite_url), datetime.now(UTC)
    with engine.begin() as connection:
        for one in ("plan", "undo"):
            connection.execute(insert(table).values(row | {"id": one, "kind": one, "created_at": now}))
    engine.dispose()
    with closing(Catalog(sqlite_url)) as catalog, closing(Catalog(sqlite_url)) as other:
        assert catalog.pop_pending("local", "1", "plan") is not None
        assert other.pop_pending("local", "1", "undo") is not None
    with closing(Catalog(sqlite_url)) as again:
        assert again.pop_pending("local", "1", "plan") is None
        assert again.pop_pending("local", "1", "undo") is None


def test_questions_wait_for_no_writer_of_the_catalog(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.sqlite._BUSY_TIMEOUT_S", 1)
    with (
        closing(Catalog(sqlite_url)) as catalog,
        closing(sqlite3.connect(tmp_path / "catalog.sqlite3", isolation_level=None)) as writer,
    ):
        writer.execute("BEGIN IMMEDIATE")
        pending_id = catalog.put_pending("local", "1", "plan", {}, "a")
        assert catalog.pop_pending("local", "1", pending_id) is not None
        with pytest.raises(CatalogError):
            catalog.mark_unembedded()
        writer.rollback()


def test_a_damaged_file_of_questions_is_named(sqlite_url: str, tmp_path: Path) -> None:
    (tmp_path / "catalog-pendings.sqlite3").write_bytes(b"nothing of ours " * 100)
    with pytest.raises(CatalogError, match=r"catalog-pendings\.sqlite3 .*move the file away.*undo"):
        Catalog(sqlite_url)
