"""SIGTERM in the midst of what takes long: the server ends in order, and does not wait for it."""

import signal
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from corpora import Catalog, DataDirectory, Page, ProjectKey
from tests.end_to_end.conftest import Run
from tests.hostile_chroma import hanging_at
from tests.ingest.hostile_pages import tiling_pattern
from tests.ingest.reader_kills import LONG
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, ServerProcess, server_process
from tests.waiting import eventually

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without telling it"),
]

_SERVE = "import sys; from fletcher.__main__ import main; main()"
_THAT_GIVES_REQUESTS_A_SECOND = f"import fletcher.loopback; fletcher.loopback._GRACE_S = 1; {_SERVE}"
_WITH_A_READER_THAT_TAKES_LONG = f"""
import functools, fletcher.wiring
from ingest import ReaderPool
from tests.ingest.reader_kills import read_slowly
fletcher.wiring.ReaderPool = functools.partial(ReaderPool, read=read_slowly)
{_SERVE}
"""
_ON_A_DRIVE_THAT_HANGS = f"""
import threading, fletcher.termination, ingest.folder
fletcher.termination._PATIENCE_S = 1
def hangs(path, *how):
    print("hangs", file=open(path.with_suffix(".read"), "w"))
    threading.Event().wait()
ingest.folder.open_plain_file = hangs
{_SERVE}
"""


@dataclass
class Server:
    """A server process, and a client of it."""

    running: ServerProcess
    http: httpx.Client

    def ended(self) -> str:
        """Tells it to end, and waits until it has; what it has logged since its start."""
        log = self.running.end()
        assert self.running.process.returncode == -signal.SIGTERM
        assert "Traceback" not in log
        return log

    def children(self) -> list[psutil.Process]:
        """The processes that it has started."""
        return psutil.Process(self.running.process.pid).children(recursive=True)


@contextmanager
def server(data_dir: Path, program: str = _SERVE, **settings: str) -> Generator[Server]:
    command = [sys.executable, "-c", program, "serve", "--port", "0", "--data-dir", data_dir]
    environment = CLEAN_ENVIRONMENT | {"FLETCHER_MODEL": "local"} | settings
    with (
        server_process(command, data_dir.parent, environment) as running,
        httpx.Client(base_url=running.url, trust_env=False, timeout=PATIENCE_S) as http,
    ):
        yield Server(running, http)


def added(http: httpx.Client, name: str, text: str) -> httpx.Response:
    return http.post("/projects/1/corpus", json={"documents": [{"name": name, "text": text}]})


def one_computes(processes: list[psutil.Process], seconds: float = 0.0) -> bool:
    return any(sum(process.cpu_times()[:2]) > seconds for process in processes)


def documents(run: Run, data_dir: Path) -> dict[str, Any]:
    found = run("documents", "--project", "1", "--json", "--data-dir", data_dir)
    return {entry["name"]: entry for entry in found.json["documents"]} if found.code == 0 else {}


def test_while_a_document_is_read(run: Run, data_dir: Path) -> None:
    with server(data_dir, _WITH_A_READER_THAT_TAKES_LONG) as one, ThreadPoolExecutor(1) as threads:
        before = documents(run, data_dir)
        answer = threads.submit(added, one.http, LONG, "This takes until its reader is killed.")
        eventually(one.children)
        one.ended()
        assert (answer.result().status_code, answer.result().json()["error"]["code"]) == (503, "SERVER_CLOSING")
    assert documents(run, data_dir) == before


def test_while_vectors_are_made(run: Run, data_dir: Path) -> None:
    text = "".join(f"# Part {number}\n\nElena keeps lamp {number} of the lighthouse.\n\n" for number in range(6000))
    with server(data_dir) as one:
        assert added(one.http, "long.md", text).json()["documents"][0]["status"] == "searchable"
        eventually(lambda: documents(run, data_dir)["long.md"]["embedded"])
        one.ended()
    left = documents(run, data_dir)["long.md"]
    assert 0 < left["embedded"] < left["passages"]


def test_while_a_page_is_drawn(data_dir: Path) -> None:
    directory, key = DataDirectory(data_dir), ProjectKey("local", "9")
    with closing(Catalog(directory.catalog_url)) as catalog:
        sha256 = directory.originals.put(tiling_pattern())
        catalog.put_document(
            key,
            name="tiles.pdf",
            format="pdf",
            sha256=sha256,
            size=1,
            text="A",
            pages=[Page(1, 0, 1, "A")],
            passages=[],
        )
    with server(data_dir, _THAT_GIVES_REQUESTS_A_SECOND) as one, ThreadPoolExecutor(1) as threads:
        answer = threads.submit(one.http.get, "/projects/9/documents/tiles.pdf/pages/1.png")
        eventually(lambda: one_computes(one.children(), 0.5))
        drawing = one.children()
        one.ended()
        assert (answer.result().status_code, answer.result().json()["error"]["code"]) == (503, "SERVER_CLOSING")
        psutil.wait_procs(drawing, PATIENCE_S)
        assert not any(process.is_running() for process in drawing)


def test_while_a_chroma_server_hangs_that_is_written_to(chroma_url: str, tmp_path: Path) -> None:
    with hanging_at(chroma_url, "/upsert") as (url, hangs):
        with server(tmp_path / "data", FLETCHER_CHROMA_URL=url) as one:
            assert added(one.http, "ferry.md", "The ferry is called Bittern.").status_code == 200
            assert hangs.wait(PATIENCE_S)
            log = one.ended()
        assert "did not answer within" not in log
        assert "is embedded further at the next start" in log
        with server(tmp_path / "data", FLETCHER_CHROMA_URL=chroma_url) as again:
            eventually(lambda: again.http.get("/projects/1/documents").json()["documents"][0]["embedded"])


def test_while_a_drive_hangs_that_a_document_is_read_from(data_dir: Path, tmp_path: Path) -> None:
    (folder := tmp_path / "game").mkdir()
    (folder / "tides.md").write_text("The tide is late.", "utf-8")
    with (
        server(data_dir, _ON_A_DRIVE_THAT_HANGS, FLETCHER_FOLDERS=f"local={folder}") as one,
        ThreadPoolExecutor(1) as threads,
    ):
        threads.submit(one.http.put, "/projects/1/folder", json={"path": str(folder)})
        eventually((folder / "tides.read").exists)
        assert "ends without it" in one.running.end()
        assert one.running.process.returncode == 128 + signal.SIGTERM
