"""Documents come in beside everything else, and a server that ends does not wait for all of them."""

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from weakref import WeakSet

import pytest

from corpora import ProjectKey
from ingest import DocumentReport, Ingestor, IngestReport, Progress, ProgressListener, Source, Unread
from retrieval import EmbeddingModelUnavailable
from server.background.embedding import EmbeddingWorker
from server.background.intake import Intake, NoRoomForDocuments
from server.closing import ServerClosing
from server.metrics import Metrics
from tests.agent.scripted_model import PATIENCE_S
from tests.server.house import house

KEY = ProjectKey("local", "1")
_MORE_THAN_THREADS = 34  # asyncio has 32 at most


class Endless:
    """An ingestor that is never done."""

    def __init__(self) -> None:
        self.running = threading.Event()

    def add(self, _key: ProjectKey, _sources: object, *, progress: ProgressListener, **_: object) -> IngestReport:
        while True:
            progress(Progress("bible.pdf", "reading", 0, 1))
            self.running.set()

    index = add


class NoDocuments:
    """A catalog, for metrics that nobody reads."""


def intake_of(ingestor: object) -> Intake:
    """Takes in with this ingestor, whose documents lack no vectors."""
    embedding = EmbeddingWorker(lambda *_: True, lambda *_: True)
    return Intake(cast("Ingestor", ingestor), Metrics(cast("Any", NoDocuments())), embedding)


async def test_closing_ends_what_is_under_way() -> None:
    endless = Endless()
    intake = intake_of(endless)
    under_way = asyncio.create_task(intake.add(KEY, [Source("bible.pdf", b"")]))
    assert await asyncio.to_thread(endless.running.wait, PATIENCE_S)
    await intake.close()
    with pytest.raises(ServerClosing):
        await under_way


class Paging:
    """An ingestor whose reader comes to the second of three pages, and then waits."""

    def __init__(self) -> None:
        self.at_page, self.goes_on, self.forget = (threading.Event() for _ in range(3))
        self.forget.set()
        self.forgotten: list[bool] = []
        self.looking = threading.Event()
        self.given: list[datetime] = []

    def documents(self, *_: object) -> list[object]:
        self.looking.set()
        assert self.goes_on.wait(PATIENCE_S)
        return []

    def add(
        self, _key: ProjectKey, _sources: object, *, given_at: datetime, progress: ProgressListener, **_: object
    ) -> IngestReport:
        self.given.append(given_at)
        progress(Progress("bible.pdf", "reading", 0, 1, 2, 3))
        self.at_page.set()
        self.goes_on.wait(PATIENCE_S)
        return IngestReport("1", (), 0.0)

    def take_out(self, key: ProjectKey, name: str) -> tuple[ProjectKey, str]:
        assert self.goes_on.is_set() or key != KEY
        return key, name

    def forget_removed(self, _key: ProjectKey) -> None:
        self.forgotten.append(self.forget.wait(PATIENCE_S))


async def test_it_is_known_to_which_page_a_reader_has_come() -> None:
    paging = Paging()
    intake = intake_of(paging)
    under_way = asyncio.create_task(intake.add(KEY, [Source("bible.pdf", b"")]))
    assert await asyncio.to_thread(paging.at_page.wait, PATIENCE_S)
    assert intake.reading(KEY) == Progress("bible.pdf", "reading", 0, 1, 2, 3)
    assert intake.reading(ProjectKey("other", KEY.project_id)) is None
    paging.goes_on.set()
    await under_way
    assert intake.reading(KEY) is None


async def test_documents_are_given_as_they_come_and_not_when_it_is_their_turn() -> None:
    paging = Paging()
    intake = intake_of(paging)
    both = [asyncio.create_task(intake.add(KEY, [Source("bible.pdf", b"")])) for _ in range(2)]
    assert await asyncio.to_thread(paging.at_page.wait, PATIENCE_S)
    before_its_turn = datetime.now(UTC)
    paging.goes_on.set()
    await asyncio.gather(*both)
    assert max(paging.given) <= before_its_turn


async def test_neither_when_it_is_known_what_was_there_before() -> None:
    paging = Paging()
    intake = intake_of(paging)
    indexed = asyncio.create_task(intake.index(KEY, [Source("bible.pdf", b"")]))
    assert await asyncio.to_thread(paging.looking.wait, PATIENCE_S)
    before_its_turn = datetime.now(UTC)
    paging.goes_on.set()
    assert await asyncio.to_thread(paging.at_page.wait, PATIENCE_S)
    indexed.cancel()
    assert paging.given[0] <= before_its_turn


class Slow:
    """An ingestor whose documents are not changed until it may."""

    def __init__(self) -> None:
        self.changing, self.may_change = threading.Event(), threading.Event()

    def add(self, *_: object, **__: object) -> IngestReport:
        self._change()
        return IngestReport("1", (), 0.0)

    def take_out(self, *_: object) -> None:
        self._change()

    def _change(self) -> None:
        self.changing.set()
        assert self.may_change.wait(PATIENCE_S)


@pytest.mark.parametrize("way", ["added", "removed"])
async def test_vectors_follow_what_has_changed_after_whoever_asked_for_it_was_gone(way: str) -> None:
    slow, changed_before, embedded = Slow(), list[bool](), asyncio.Event()
    loop = asyncio.get_running_loop()

    def embed(*_: object) -> bool:
        changed_before.append(slow.may_change.is_set())
        loop.call_soon_threadsafe(embedded.set)
        return True

    embedding = EmbeddingWorker(embed, lambda *_: True)
    intake = Intake(cast("Ingestor", slow), Metrics(cast("Any", NoDocuments())), embedding)
    asked = intake.add(KEY, [Source("bible.pdf", b"")]) if way == "added" else intake.remove(KEY, "bible.pdf")
    asking = asyncio.create_task(asked)
    assert await asyncio.to_thread(slow.changing.wait, PATIENCE_S)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    slow.may_change.set()
    await asyncio.wait_for(embedded.wait(), PATIENCE_S)
    assert changed_before == [True]
    await intake.close()
    await embedding.close()


class Counting:
    """An ingestor that knows how many add to one project at a time."""

    def __init__(self) -> None:
        self.now = self.most = 0

    def add(self, _key: ProjectKey, _sources: object, *, progress: ProgressListener, **_: object) -> IngestReport:
        self.now += 1
        self.most = max(self.most, self.now)
        progress(Progress("bible.pdf", "reading", 0, 1))
        self.now -= 1
        return IngestReport("1", (), 0.0)


async def test_a_project_is_added_to_by_one_at_a_time_and_then_remembered_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counting, locks = Counting(), WeakSet[asyncio.Lock]()

    class Lock(asyncio.Lock):
        def __init__(self) -> None:
            super().__init__()
            locks.add(self)

    monkeypatch.setattr("asyncio.Lock", Lock)
    intake = intake_of(counting)
    await asyncio.gather(*(intake.add(KEY, [Source("bible.pdf", b"")]) for _ in range(20)))
    assert counting.most == 1
    for number in range(100):
        await intake.add(ProjectKey("local", str(number)), [Source("bible.pdf", b"")])
    assert len(locks) < 10
    await intake.close()


async def test_what_brings_no_documents_ends_after_what_brings_some() -> None:
    intake = intake_of(Counting())
    reports = await asyncio.gather(*(intake.add(KEY, sources) for sources in ([Source("bible.pdf", b"")], [], [])))
    assert [report.project for report in reports] == ["1", "1", "1"]
    assert intake.under_way(KEY) == ()
    await intake.close()


def test_what_waits_to_be_taken_in_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However short documents are, and whether or not anybody still waits for the answer."""
    monkeypatch.setattr("server.background.intake._MOST", 2 * 20 * 4_096 - 1)
    sent = {"documents": [{"name": f"{number}.md", "text": "Elena."} for number in range(19)]}
    with house(tmp_path) as home, home.client() as client, home.http() as http:
        home.readers.may_go_on.clear()
        client.send("design_doc_sync", project_id=1, file_content="RWxlbmEgbGl2ZXMu", file_name="first.txt")
        assert home.readers.reading.wait(PATIENCE_S)
        refused = http.post("/projects/2/corpus", json=sent)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "TOO_BUSY")
        assert refused.headers["Retry-After"] == "5"
        home.readers.may_go_on.set()
        assert "first.txt" in client.frame()["message"]
        assert http.post("/projects/2/corpus", json=sent).status_code == 200


def lacking(passages: int) -> SimpleNamespace:
    """An ingestor whose documents lack so many vectors."""
    report = IngestReport("1", (DocumentReport("a.md", "searchable", "1-a", passages=passages),), 0.0)
    return SimpleNamespace(
        documents=lambda *_: {}, add=lambda *_, **__: report, settled=lambda _key, report, _before: report
    )


async def test_of_vectors_that_are_made_at_once_the_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(work: Callable[..., Any], *args: Any) -> Any:
        return work(*args)

    def embed(_key: ProjectKey, tell: ProgressListener) -> bool:
        tell(Progress("", "embedding", 0, 3))
        tell(Progress("", "embedding", 3, 3))
        return True

    monkeypatch.setattr("server.background.embedding.asyncio.to_thread", at_once)
    heard, embedding = list[Progress](), EmbeddingWorker(embed, lambda *_: True)
    intake = Intake(cast("Ingestor", lacking(3)), Metrics(cast("Any", NoDocuments())), embedding)
    await intake.index(KEY, [Source("a.md", b"")], progress=heard.append)
    assert heard[-1] == Progress("", "embedding", 3, 3)
    await intake.close()
    await embedding.close()


async def test_what_is_taken_in_keeps_no_room_while_its_vectors_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.background.intake._MOST", 2**20)
    begun, may_end, other = threading.Event(), threading.Event(), ProjectKey("other", "1")

    def embed(*_: object) -> bool:
        begun.set()
        return may_end.wait(PATIENCE_S)

    embedding = EmbeddingWorker(embed, lambda *_: True)
    intake = Intake(cast("Ingestor", lacking(3)), Metrics(cast("Any", NoDocuments())), embedding)
    held = Unread("a.md", lambda: Source("a.md", b""), 2**20)
    waiting = asyncio.create_task(intake.index(KEY, [held]))
    assert await asyncio.to_thread(begun.wait, PATIENCE_S)
    await asyncio.wait_for(intake.add(other, [held]), PATIENCE_S)
    may_end.set()
    await waiting
    await intake.close()
    await embedding.close()


async def test_an_error_that_is_kept_keeps_no_request() -> None:
    def embed(*_: object) -> bool:
        raise EmbeddingModelUnavailable("There is no such model.")

    embedding = EmbeddingWorker(embed, lambda *_: True)
    intake = Intake(cast("Ingestor", lacking(3)), Metrics(cast("Any", NoDocuments())), embedding)
    for _ in range(2):
        with pytest.raises(EmbeddingModelUnavailable, match="no such model"):
            await intake.index(KEY, [Source("a.md", b"")])
        kept = embedding.failure(KEY)
        assert kept is not None
        assert kept.__traceback__ is None
    await intake.close()
    await embedding.close()


async def test_removals_that_wait_for_a_project_keep_no_threads() -> None:
    paging, other = Paging(), ProjectKey("local", "2")
    intake = intake_of(paging)
    under_way = asyncio.create_task(intake.add(KEY, [Source("bible.pdf", b"")]))
    assert await asyncio.to_thread(paging.at_page.wait, PATIENCE_S)
    removals = [asyncio.create_task(intake.remove(KEY, "bible.pdf")) for _ in range(100)]
    assert await asyncio.wait_for(intake.remove(other, "a.md"), PATIENCE_S) == (other, "a.md")
    assert not any(one.done() for one in removals)
    paging.goes_on.set()
    await under_way
    assert await asyncio.gather(*removals) == [(KEY, "bible.pdf")] * 100
    await intake.close()


async def test_no_document_waits_for_an_index_without_those_that_were_removed() -> None:
    paging = Paging()
    paging.goes_on.set()
    paging.forget.clear()
    intake = intake_of(paging)
    removals = [asyncio.create_task(intake.remove(KEY, f"{number}.md")) for number in range(3)]
    assert (await asyncio.wait_for(intake.add(KEY, [Source("bible.pdf", b"")]), PATIENCE_S)).project == "1"
    assert not any(one.done() for one in removals)
    assert not paging.forgotten
    paging.forget.set()
    await asyncio.gather(*removals)
    assert len(paging.forgotten) == 3
    await intake.close()


async def test_one_that_has_more_than_there_is_room_for_is_taken_in_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.background.intake._MOST", 0)
    paging = Paging()
    intake = intake_of(paging)
    held = Unread("bible.pdf", lambda: Source("bible.pdf", b""), 2**30)
    under_way = asyncio.create_task(intake.add(KEY, [held]))
    assert await asyncio.to_thread(paging.at_page.wait, PATIENCE_S)
    for _ in range(2):
        with pytest.raises(NoRoomForDocuments):
            await intake.add(KEY, [held])
    paging.goes_on.set()
    await under_way
    await intake.add(KEY, [held])
    await intake.close()


async def test_a_document_is_taken_in_beside_all_that_two_other_workspaces_have_waiting() -> None:
    paging = Paging()
    intake = intake_of(paging)
    held = Unread("bible.pdf", lambda: Source("bible.pdf", b""), 4 * 2**20)

    async def taken_in(workspace: str) -> int:
        tasks = [asyncio.create_task(intake.add(ProjectKey(workspace, "1"), [held])) for _ in range(40)]
        await asyncio.wait(tasks, timeout=0)
        waiting.extend(task for task in tasks if not task.done())
        refused = [task for task in tasks if task.done()]
        assert all(isinstance(task.exception(), NoRoomForDocuments) for task in refused)
        return len(tasks) - len(refused)

    waiting: list[asyncio.Task[IngestReport]] = []
    assert [await taken_in(workspace) for workspace in ("ada", "bo", "quiet")] == [31, 31, 3]
    paging.goes_on.set()
    await asyncio.gather(*waiting)
    await intake.close()


def test_many_documents_of_one_project_leave_room_for_turns(tmp_path: Path) -> None:
    with house(tmp_path) as home:
        home.put("map.md", "The harbour.", ProjectKey("local", "2"))
        home.readers.may_go_on.clear()
        home.model.otherwise = ["Elena."]
        before = set(threading.enumerate())
        with home.client() as client:
            client.sync()
            for number in range(_MORE_THAN_THREADS):
                client.send("design_doc_sync", project_id=1, file_content="RWxlbmEgbGl2ZXMu", file_name=f"{number}.txt")
            assert home.readers.reading.wait(PATIENCE_S)
            frames = client.turn("Who is there?")
            assert frames[1]["message"] == "Elena."
            threads = set(threading.enumerate()) - before
            assert sum(thread.name.startswith("intake") for thread in threads) == 1, "those that wait need none"
            with home.http() as http:  # nor do other projects wait
                assert http.get("/projects/2/search?q=harbour").json()["passages"]
            home.readers.may_go_on.set()
            answers = [client.frame()["message"] for _ in range(_MORE_THAN_THREADS)]
        assert len({answer.split()[0] for answer in answers}) == _MORE_THAN_THREADS
