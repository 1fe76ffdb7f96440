"""Pages that take a painter everything: each is drawn or refused, and nobody else waits."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import httpx

from corpora import Catalog, DataDirectory, Page, Passage, ProjectKey, passage_id
from tests.attack.findings import Findings, Progress
from tests.attack.portable_documents import PORTABLE_DOCUMENTS
from tests.attack.server import ATTACKER, WORKSPACES, Server
from tests.ingest.hostile_pages import HOSTILE

REFUSED = frozenset({"TIMEOUT", "OUT_OF_MEMORY", "CORRUPT", "READER_CRASHED"})
_PROJECT = "pages"
_SMALL = 1 / 1_000
_PATIENCE_S = 600.0
_TEXT = "Elena keeps the lighthouse."


def pages(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Asks for pictures of `count` hostile pages, as if their text had been read; few are small ones."""
    del seed
    progress = Progress(findings, count)
    with server.http(timeout_s=_PATIENCE_S) as http, ThreadPoolExecutor(4) as threads:

        def draw(name: str) -> None:
            _draw(http, name, findings)
            progress.step()

        list(threads.map(draw, [_put(server, name, make()) for name, make in _made(count)]))


def _made(count: int) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Each kind in its full size, where there is time for all."""
    share = 1.0 if count >= len(PORTABLE_DOCUMENTS) else _SMALL
    kinds = {f"{make.__name__}.pdf": lambda make=make: make(share) for make in PORTABLE_DOCUMENTS}
    if share == 1.0:
        kinds |= {f"{name.replace(' ', '-')}.pdf": make for name, make in HOSTILE.items()}
    yield from list(kinds.items())[:count]


def _put(server: Server, name: str, data: bytes) -> str:
    """Into the catalog, as an upload would be refused where its text cannot be read."""
    key = ProjectKey(WORKSPACES[ATTACKER], _PROJECT)
    document_id = key.document_id(name)
    originals = DataDirectory(server.data_dir).originals
    with closing(Catalog(server.database_url)) as catalog:
        catalog.put_document(
            key,
            name=name,
            format="pdf",
            sha256=originals.put(data),
            size=len(data),
            text=_TEXT,
            pages=[Page(1, 0, len(_TEXT), _TEXT)],
            passages=[
                Passage(passage_id(document_id, (), _TEXT, 0), document_id, name, 1, 1, (), 0, len(_TEXT), _TEXT)
            ],
        )
    return name


def _draw(http: httpx.Client, name: str, findings: Findings) -> None:
    began = time.monotonic()
    try:
        answer = http.get(f"/projects/{_PROJECT}/documents/{name}/pages/1.png")
    except httpx.TimeoutException:
        findings.problem("a page is neither drawn nor refused", f"{name}, after {_PATIENCE_S:g} s")
        return
    findings.took(name, time.monotonic() - began)
    code = "" if answer.is_success else answer.json()["error"]["code"]
    if answer.status_code == 200 and answer.content.startswith(b"\x89PNG"):
        findings.answer("drawn")
    elif answer.status_code == 422 and code in REFUSED:
        findings.answer(f"422 {code}")
    else:
        findings.problem(f"a page is answered with {answer.status_code} {code}", f"{name}: {answer.text[:200]}")
