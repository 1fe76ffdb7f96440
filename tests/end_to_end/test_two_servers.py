"""Two server processes that share PostgreSQL and a Chroma server; only the embedding model is a small one."""

import itertools
import sys
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from tests.end_to_end.conftest import Finished
from tests.forked import finished
from tests.mcp_server.assistant import User, connected
from tests.postgresql import EmptyDatabase, stopped
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, server_process
from tests.waiting import eventually

pytestmark = pytest.mark.long

# `fletcher` with the small model. With DIES it kills itself when it has stored so many documents.
FLETCHER = """
import os, signal, sys
import fletcher.wiring
from corpora import Catalog
from fletcher.__main__ import main
from tests.retrieval.small_embedder import SmallEmbedder

left = int(os.environ.get("DIES", 0))
store = Catalog.put_document

def counted(*arguments, **values):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return store(*arguments, **values)

Catalog.put_document = counted
fletcher.wiring.Embedder = lambda name: SmallEmbedder()
main(sys.argv[1:])
"""
FERRY = "The night ferry is called Bittern.\n"


@pytest.fixture(scope="module")
def environment(
    empty_database: EmptyDatabase, chroma_url: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    home = tmp_path_factory.mktemp("home")
    return CLEAN_ENVIRONMENT | {
        "FLETCHER_DATABASE_URL": empty_database(),
        "FLETCHER_CHROMA_URL": chroma_url,
        "FLETCHER_FOLDERS": str(home),
        "HOME": str(home),
    }


@contextmanager
def a_server(environment: dict[str, str]) -> Generator[httpx.Client]:
    command = [sys.executable, "-c", FLETCHER, "serve", "--port", "0"]
    with (
        server_process(command, Path(environment["HOME"]), environment) as running,
        httpx.Client(base_url=running.url, trust_env=False, timeout=PATIENCE_S) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def servers(environment: dict[str, str]) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    with ExitStack() as opened:
        yield opened.enter_context(a_server(environment)), opened.enter_context(a_server(environment))


def fletcher(environment: dict[str, str], *arguments: str | Path) -> Finished:
    done = finished([sys.executable, "-c", FLETCHER, *arguments], Path(environment["HOME"]), environment)
    return Finished(done.returncode, done.stdout, done.stderr)


def add(server: httpx.Client, project: str, texts: dict[str, str], *, wait: bool = True) -> list[dict[str, Any]]:
    body = {"documents": [{"name": name, "text": text} for name, text in texts.items()]}
    answer = server.post(f"/projects/{project}/corpus", params={"wait": wait}, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["documents"]


def documents(server: httpx.Client, project: str) -> dict[str, dict[str, Any]]:
    answer = server.get(f"/projects/{project}/documents")
    return {entry["name"]: entry for entry in answer.json()["documents"]} if answer.status_code == 200 else {}


def found(server: httpx.Client, project: str, query: str) -> list[str]:
    answer = server.get(f"/projects/{project}/search", params={"q": query, "k": 3})
    assert answer.status_code == 200, answer.text
    return [passage["document"] for passage in answer.json()["passages"]]


def test_what_one_takes_in_the_other_finds(servers: tuple[httpx.Client, httpx.Client]) -> None:
    one, other = servers
    (entry,) = add(one, "1", {"ferry.md": FERRY})
    assert entry["status"] == "indexed"
    eventually(lambda: found(other, "1", "night ferry") == ["ferry.md"])
    add(other, "1", {"ferry.md": "The night ferry is called Heron.\n", "crew.md": "Aurelie steers the ferry.\n"})
    eventually(lambda: found(one, "1", "Who steers?")[:1] == ["crew.md"])
    assert found(one, "1", "Bittern")
    assert one.get("/projects/1/documents").json() == other.get("/projects/1/documents").json()
    assert other.delete("/projects/1/documents/crew.md").status_code == 200
    assert "crew.md" not in found(one, "1", "Aurelie")  # at once: what is gone is looked up before it is shown


class InTurn(httpx2.AsyncBaseTransport):
    """A balancer: each request goes to another server."""

    def __init__(self, servers: tuple[httpx.Client, httpx.Client]) -> None:
        self._servers = itertools.cycle(str(server.base_url.netloc, "ascii") for server in servers)
        self._transport = httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        host, _, port = next(self._servers).partition(":")
        request.url = request.url.copy_with(host=host, port=int(port))
        request.headers["host"] = f"{host}:{port}"
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        await self._transport.aclose()


async def test_a_yes_of_an_assistants_user_is_done_by_whichever_it_reaches(
    servers: tuple[httpx.Client, httpx.Client], environment: dict[str, str]
) -> None:
    note = Path(environment["HOME"]) / "tide.md"
    note.write_text("The tide is late.", "utf-8")
    add(servers[0], "scribe", {"tide.md": FERRY})
    user = User(["yes", "yes"])
    http = httpx2.AsyncClient(transport=InTurn(servers), timeout=PATIENCE_S, trust_env=False)
    address = f"{servers[0].base_url}/mcp?project=scribe"
    async with http, connected(streamable_http_client(address, http_client=http), "2026-07-28", user) as scribe:
        for text in ("The tide is late.", "The tide is early."):
            note.write_text(text, "utf-8")
            answer = await scribe.ok("add_documents", paths=[str(note)])
            assert [entry["replaced"] for entry in answer["documents"]] == [True]
    assert len(user.shown) == 2


def test_a_page_is_drawn_by_whichever_is_asked(servers: tuple[httpx.Client, httpx.Client]) -> None:
    import pymupdf

    page = pymupdf.open()
    page.new_page().insert_text((72, 72), "The lighthouse of Brill.")
    one, other = servers
    files = {"files": ("map.pdf", page.tobytes())}
    assert one.post("/projects/pdf/corpus", files=files).json()["documents"][0]["pages"] == 1
    picture = other.get("/projects/pdf/documents/map.pdf/pages/1.png")
    assert picture.status_code == 200
    assert picture.content.startswith(b"\x89PNG")


def test_commands_work_beside_the_servers_and_need_no_directory(
    servers: tuple[httpx.Client, httpx.Client], environment: dict[str, str], tmp_path: Path
) -> None:
    one, _ = servers
    (tmp_path / "late.md").write_text(FERRY, "utf-8")
    done = fletcher(environment, "ingest", tmp_path / "late.md", "--project", "2", "--json")
    assert done.code == 0, done.err
    assert [entry["status"] for entry in done.json["documents"]] == ["indexed"]
    assert found(one, "2", "ferry") == ["late.md"]
    refused = fletcher(environment, "reindex")
    assert refused.code == 1
    assert "stop them first" in refused.err
    assert "FLETCHER_CHROMA_URL" not in refused.err, "which is set"
    assert not (Path(environment["HOME"]) / ".fletcher").exists()


def test_who_keeps_vectors_in_a_directory_does_not_share_the_catalog(
    servers: tuple[httpx.Client, httpx.Client], environment: dict[str, str], tmp_path: Path
) -> None:
    alone = {name: value for name, value in environment.items() if name != "FLETCHER_CHROMA_URL"}
    refused = fletcher(alone, "documents", "--project", "1", "--data-dir", tmp_path / "data")
    assert refused.code == 1
    assert "FLETCHER_CHROMA_URL" in refused.err
    assert "Traceback" not in refused.err


def test_one_that_is_killed_in_mid_ingest_is_completed_by_the_other(
    servers: tuple[httpx.Client, httpx.Client], environment: dict[str, str]
) -> None:
    one, _ = servers
    log = {f"day-{day}.md": f"On day {day} the pilot logged {day * 7} herons.\n" for day in range(30)}
    with a_server(environment | {"DIES": "21"}) as dying, suppress(httpx.TransportError):
        add(dying, "log", log)
        raise AssertionError("it should have died")
    assert len(documents(one, "log")) == 20
    # Nobody asks the other server to go on.
    eventually(lambda: all(entry["embedded"] == entry["passages"] == 1 for entry in documents(one, "log").values()))
    again = add(one, "log", log)
    assert [entry["status"] for entry in again] == ["unchanged"] * 20 + ["indexed"] * 10
    assert found(one, "log", "On day 29 the pilot logged")[0] == "day-29.md"


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("FLETCHER_DATABASE_URL", "postgresql+psycopg://ada:s3cret@127.0.0.1:1/fletcher"),
        ("FLETCHER_CHROMA_URL", "http://ada:s3cret@127.0.0.1:1"),
    ],
)
def test_a_server_that_does_not_answer_is_named_without_its_password(
    environment: dict[str, str], name: str, url: str
) -> None:
    refused = fletcher(environment | {name: url}, "serve", "--port", "0")
    assert refused.code == 1
    assert "127.0.0.1:1" in refused.err
    assert "Check that it" in refused.err
    assert "?." not in refused.err
    assert "s3cret" not in refused.err
    assert "Traceback" not in refused.err


def test_a_database_that_hangs_is_said_and_used_again_when_it_goes_on(
    servers: tuple[httpx.Client, httpx.Client], environment: dict[str, str]
) -> None:
    server, _ = servers
    add(server, "hanging", {"ferry.md": FERRY})
    paths = ["documents", "search?q=ferry"]
    with ThreadPoolExecutor(24) as threads, stopped(environment["FLETCHER_DATABASE_URL"]):
        answers = list(threads.map(server.get, [f"/projects/hanging/{path}" for path in paths * 12]))
        upload = server.post("/projects/hanging/corpus", json={"documents": [{"name": "new.md", "text": FERRY}]})
        assert server.get("/openapi.json").status_code == 200
        for answer in (*answers, upload):
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "CATALOG_ERROR")
            assert "Check that it is reachable" in answer.json()["error"]["message"]
    eventually(lambda: server.get("/projects/hanging/documents").status_code != 503)
    assert list(documents(server, "hanging")) == ["ferry.md"]
    add(server, "hanging", {"new.md": FERRY})
    assert len(documents(server, "hanging")) == 2
