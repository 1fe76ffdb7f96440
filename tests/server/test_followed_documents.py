"""Documents of a socket whose vectors are made: one follower tells how far they are."""

import threading
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest

from corpora import Document, ProjectKey
from ingest import Progress, ProgressListener
from tests.agent.scripted_model import PATIENCE_S
from tests.server.client import Client
from tests.server.house import House
from tests.server.test_uploads import pdf, progress, send, until, until_reported, upload, watching
from tests.waiting import eventually


class Batches:
    """Vectors are made when the test says so; and how often the catalog was asked about that."""

    def __init__(self, home: House, monkeypatch: pytest.MonkeyPatch) -> None:
        self._home = home
        self._next = threading.Semaphore(0)
        self._has_ended = threading.Event()
        self.asked = 0
        embed, run = home.services.embedding._embed, home.services.asking.run  # pyright: ignore[reportPrivateUsage]

        def held(key: ProjectKey, progress: ProgressListener) -> bool:
            while self._next.acquire(timeout=PATIENCE_S) and not self._has_ended.is_set():
                progress(Progress("", "embedding", 0, 1))
            return embed(key, progress)

        def counted(*given: Any) -> Any:
            self.asked += 1
            return run(*given)

        monkeypatch.setattr(home.services.embedding, "_embed", held)
        monkeypatch.setattr(home.services.asking, "run", counted)

    def make(self) -> None:
        """One batch, of whose vectors the catalog does not know yet."""
        self._next.release()

    def end(self) -> None:
        """All the vectors are made, and those of what comes in later at once."""
        self._has_ended.set()
        self._next.release(10)

    def followers(self) -> int:
        """How many tasks wait for them, once all that came in is followed."""
        eventually(lambda: not any("Uploads._take_in" in task for task in self._home.watched.tasks()))
        return sum("Uploads._follow" in task for task in self._home.watched.tasks())


@pytest.fixture
def batches(home: House, monkeypatch: pytest.MonkeyPatch) -> Generator[Batches]:
    batches = Batches(home, monkeypatch)
    yield batches
    batches.end()


def test_all_documents_of_a_socket_are_asked_about_once_a_batch(home: House, batches: Batches) -> None:
    names = [f"{number}.txt" for number in range(4)]
    with watching(home) as client:
        for name in names:
            send(client, name, name.encode())
            until_reported(client)
        assert batches.followers() == 1
        batches.make()
        frames = [client.frame() for _ in names]
        assert [frame["document"] for frame in frames] == names
        assert progress(frames, "embedding") == [(0, 1)] * len(names)
        assert batches.asked == 1
        home.catalog.remove_document(home.key, names.pop(0))
        batches.end()
        frames = [client.frame() for _ in names]
        assert [frame["document"] for frame in frames] == names
        assert progress(frames, "done") == [(1, 1)] * len(names)
        eventually(lambda: not batches.followers())
        client.assert_quiet()


def test_a_document_that_is_sent_again_is_followed_once(home: House, batches: Batches, client: Client) -> None:
    for _ in range(3):
        upload(client, "notes.txt", b"Elena keeps the light.")
    assert batches.followers() == 1


def test_what_was_asked_before_a_document_was_sent_again_is_not_told_of_it(
    home: House, batches: Batches, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, go_on = threading.Event(), threading.Event()
    documents = home.catalog.documents

    def late(*given: Any) -> list[Document]:
        found = documents(*given)
        if asked.is_set():
            return found
        asked.set()
        assert go_on.wait(PATIENCE_S)
        return [replace(document, embedded=document.passages) for document in found]

    with watching(home) as client:
        send(client, "bible.pdf", pdf("Elena keeps the lighthouse."))
        until_reported(client)
        assert batches.followers() == 1
        monkeypatch.setattr(home.catalog, "documents", late)
        batches.make()
        assert asked.wait(PATIENCE_S)
        send(client, "bible.pdf", pdf(*(f"The harbour of page {number}. " * 3 for number in "abcdef")))
        (document,) = until_reported(client)["documents"]
        assert document["passages"] > 1
        assert batches.followers() == 1
        go_on.set()
        batches.end()
        assert progress(until(client, "done"), "done") == [(document["passages"], document["passages"])]
