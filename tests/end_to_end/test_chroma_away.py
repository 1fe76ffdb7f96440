"""A whole server whose vectors are away or damaged: what needs none goes on, and the rest by text."""

import sys
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.chroma_server import ChromaProcess, chroma_that_can_hang
from tests.end_to_end.test_two_servers import FLETCHER, add, documents
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, server_process
from tests.waiting import eventually

pytestmark = pytest.mark.long

STORY = Path(__file__).parents[2] / "corpora" / "samples" / "inland-light" / "inland-light.arrow"
FERRY = "The night ferry is called Bittern.\n"


@pytest.fixture(scope="module")
def chroma() -> Iterator[ChromaProcess]:
    with chroma_that_can_hang() as process:
        yield process


@pytest.fixture
def server(chroma: ChromaProcess, tmp_path: Path) -> Iterator[httpx.Client]:
    with a_server(tmp_path, FLETCHER_CHROMA_URL=chroma.url) as client:
        yield client
        chroma.go_on()


@contextmanager
def a_server(home: Path, program: Sequence[str] = ("-c", FLETCHER), **environment: str) -> Generator[httpx.Client]:
    environment |= CLEAN_ENVIRONMENT | {"FLETCHER_MODEL": "local", "HOME": str(home)}
    command = [sys.executable, *program, "serve", "--port", "0", "--data-dir", home / "data"]
    with (
        server_process(command, home, environment) as running,
        httpx.Client(base_url=running.url, trust_env=False, timeout=PATIENCE_S) as client,
    ):
        yield client


def searched(server: httpx.Client) -> tuple[list[str], bool]:
    answer = server.get("/projects/1/search", params={"q": "night ferry", "k": 3})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    return [passage["document"] for passage in found["passages"]], found.get("text_only", False)


def turn(server: httpx.Client, message: str) -> dict[str, Any]:
    body = {"message": message, "arrow_content": STORY.read_text("utf-8")}
    answer = server.post("/projects/1/turns", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def health(server: httpx.Client) -> dict[str, Any]:
    answer = server.get("/healthz")
    assert answer.status_code == 200
    return answer.json()


def test_what_needs_no_vectors_goes_on_while_chroma_hangs(server: httpx.Client, chroma: ChromaProcess) -> None:
    (entry,) = add(server, "1", {"ferry.md": FERRY})
    assert entry["status"] == "indexed"
    eventually(lambda: not searched(server)[1])  # this machine is as slow as a server that hangs
    eventually(lambda: health(server)["status"] == "ok")

    chroma.hang()
    with ThreadPoolExecutor(12) as at_once:
        searches = [at_once.submit(searched, server) for _ in range(8)]
        lists = [at_once.submit(documents, server, "1") for _ in range(4)]
        assert [search.result() for search in searches] == [(["ferry.md"], True)] * 8
        assert all("ferry.md" in listed.result() for listed in lists)
    (operation,) = turn(server, "create a variable silver = 10")["operations"]
    assert operation["success"], operation
    answered = turn(server, "What is the night ferry called?")
    assert "Bittern" in answered["text"]
    assert "by their own words only" in answered["text"]
    assert health(server)["status"] == "degraded"
    assert health(server)["stores"] == {"catalog": "ok", "vectors": "away"}
    (late,) = add(server, "1", {"late.md": "The late ferry is called Heron.\n"}, wait=False)
    assert late["status"] == "searchable"
    (late,) = add(server, "1", {"late.md": "The late ferry is called Heron, or Grebe.\n"})
    assert late["status"] == "searchable", "who waits for vectors is told that they follow"
    assert server.delete("/projects/1/documents/late.md").status_code == 200
    (away,) = add(server, "1", {"oars.md": "Oars are made of ash.\n"}, wait=False)
    assert (away["status"], away["embedded"]) == ("searchable", 0)

    chroma.go_on()
    eventually(lambda: health(server)["status"] == "ok" and not searched(server)[1])
    assert searched(server)[0][0] == "ferry.md"
    (entry,) = add(server, "1", {"crew.md": "Aurelie steers the ferry.\n"})
    assert entry["status"] == "indexed"
    oars = documents(server, "1")["oars.md"]
    assert oars["embedded"] == oars["passages"], "what came in meanwhile has its vectors, too"


def test_vectors_whose_files_are_damaged_while_the_server_runs_are_made_anew(tmp_path: Path) -> None:
    with a_server(tmp_path) as server:
        for project in ("1", "2"):
            (entry,) = add(server, project, {"ferry.md": FERRY})
            assert entry["status"] == "indexed"
        assert searched(server) == (["ferry.md"], False)
        for name in ("chroma.sqlite3", "chroma.sqlite3-wal", "chroma.sqlite3-shm"):
            file = tmp_path / "data" / "chroma" / name
            file.write_bytes(b"not a database at all".ljust(file.stat().st_size, b"!"))
        assert searched(server) == (["ferry.md"], True)
        eventually(lambda: all(documents(server, project)["ferry.md"]["embedded"] for project in ("1", "2")))
        assert searched(server) == (["ferry.md"], False)
        assert health(server)["status"] == "ok"
        assert len(list((tmp_path / "data").glob("chroma-damaged-*"))) == 1
