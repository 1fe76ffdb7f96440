"""What an ingest costs those who write meanwhile: ``python -m benchmarks.serving``.

One server, model `local`. Turns that look something up in the sample's documents, one after the other, first alone and
then while 100 generated documents come into another project and get their vectors. Exit code 1 if a turn takes more
than twice as long while documents come in (p50), or if the progress of the vectors ever goes back.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from benchmarks._prose import prose
from benchmarks._server_process import Server, running
from corpora.samples import SAMPLE

_ALONE = 100  # turns
_DOCUMENTS = 100
_CHARACTERS = 5000  # of each
_LIMIT = 2.0
_PATIENCE_S = 600.0
_CONTENT = SAMPLE.arrow_file.read_text(encoding="utf-8")
_QUESTIONS = ("Who keeps the light?", "What does Elena want?", "What does the ferry cost?", "What happens in winter?")


def main() -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = {
            "FLETCHER_DATA_DIR": str(folder / "data"),
            "FLETCHER_MODEL": "local",
            "FLETCHER_TURNS_PER_MINUTE": "1000000",
        }
        command = [sys.executable, "-m", "fletcher", "serve", "--port"]
        with (
            running("Fletcher", command, "/healthz", settings, folder) as server,
            httpx.Client(base_url=server.url, trust_env=False, timeout=_PATIENCE_S) as client,
        ):
            _fill(client)
            _turns(client, 10)
            alone = _turns(client, _ALONE)
            meanwhile, heard, ingest_s = _turns_during_an_ingest(client, server)
    ratio = statistics.median(meanwhile) / statistics.median(alone)
    table = Table("turns", "number", "p50 ms", "p95 ms", "longest ms")
    for what, seconds in (("alone", alone), (f"while {_DOCUMENTS} documents come in", meanwhile)):
        figures = statistics.median(seconds), statistics.quantiles(seconds, n=20)[18], max(seconds)
        table.add_row(what, str(len(seconds)), *(f"{figure * 1000:.1f}" for figure in figures))
    exact = heard == sorted(heard) and heard[-1] == 1
    console = Console(width=120)
    console.print(table)
    console.print(
        f"p50 {ratio:.2f} times as long, limit {_LIMIT:g}; {_DOCUMENTS} documents took {ingest_s:.0f} s; "
        f"progress {'never went back' if exact else 'WENT BACK'} in {len(heard)} looks"
    )
    sys.exit(ratio > _LIMIT or not exact)


def _fill(client: httpx.Client) -> None:
    files = [path for path in sorted(SAMPLE.documents.rglob("*")) if path.is_file()]
    uploads = [("files", (path.name, path.read_bytes())) for path in files]
    client.post("/projects/1/corpus", params={"wait": True}, files=uploads).raise_for_status()


def _turns(client: httpx.Client, number: int) -> list[float]:
    return [_turn(client, at) for at in range(number)]


def _turn(client: httpx.Client, number: int) -> float:
    body = {"message": _QUESTIONS[number % len(_QUESTIONS)], "arrow_content": _CONTENT}
    started = time.perf_counter()
    answer = client.post("/projects/1/turns", json=body).raise_for_status().json()
    seconds = time.perf_counter() - started
    assert answer["citations"], f"{body['message']} was not looked up"
    return seconds


def _turns_during_an_ingest(client: httpx.Client, server: Server) -> tuple[list[float], list[float], float]:
    """Seconds of each turn, the share of vectors that were there after it, and how long the ingest took."""
    documents = [{"name": f"{number:03}.txt", "text": prose(number, _CHARACTERS)} for number in range(_DOCUMENTS)]
    started = time.perf_counter()
    seconds: list[float] = []
    with ThreadPoolExecutor(1) as other:
        upload = other.submit(client.post, "/projects/2/corpus", json={"documents": documents})
        while not upload.done():
            seconds.append(_turn(client, len(seconds)))
        upload.result().raise_for_status()
    heard: list[float] = [0]
    while heard[-1] < 1 and server.process.poll() is None:
        seconds.append(_turn(client, len(seconds)))
        heard.append(_share(client.get("/projects/2/documents").raise_for_status().json()["documents"]))
    return seconds, heard, time.perf_counter() - started


def _share(documents: Sequence[dict[str, Any]]) -> float:
    return sum(one["embedded"] for one in documents) / sum(one["passages"] for one in documents)


if __name__ == "__main__":
    main()
