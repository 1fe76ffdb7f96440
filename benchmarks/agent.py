"""From a user's message to the first byte of the model's request: ``python -m benchmarks.agent``.

A story of 5,000 nodes, 5,000 passages with vectors, a real socket, the real Anthropic SDK and a provider on loopback.
The unit, measured in the same run, is what no server could leave out: ``json.loads`` of the frame and of the content
in it, and one query embedding. Exit code 1 if a limit is broken.
"""

import hashlib
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.types import Receive, Scope, Send
from websockets.sync.client import ClientConnection, connect

from agent import Assistant, open_answerer
from benchmarks.arrow_project import document
from corpora import Catalog, DataDirectory, ProjectKey
from fletcher.loopback import bind, serving
from ingest import Ingestor, ReaderPool, Source
from retrieval import Embedder, Retriever, VectorStore
from server import Access, EmbeddingWorker, Services, create_app

Vectors = NDArray[np.float32]

_PASSAGES = 5_000
_RUNS = 15
_MODEL = "anthropic:claude-sonnet-4-5"
_CONTEXT_TOKENS = 12_000
_QUESTION = "What does the keeper of the northern light charge for oil in winter?"
_PATIENCE_S = 60
_UNCHANGED, _CHANGED = 2.5, 5.0


class Provider:
    """Anthropic's address: notes when the first byte of a request arrives, and says one word."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.asked_at = 0.0
        self.bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI application."""
        if scope["type"] != "http":
            return
        self.asked_at = time.perf_counter()
        more, self.bytes = True, 0
        while more:
            message = await receive()
            self.bytes += len(message.get("body", b""))
            more = bool(message.get("more_body", False))
        self.asked.set()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await send({"type": "http.response.body", "body": _ANSWER.encode()})


class QuickEmbedder(Embedder):
    """Questions are really embedded; passages get vectors by chance, as 5,000 real ones would take minutes."""

    def embed_passages(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """Normalised rows, the same in every run."""
        vectors = np.random.default_rng(len(texts)).standard_normal((len(texts), self.dimension), dtype=np.float32)
        if progress is not None:
            progress(len(texts))
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@dataclass(frozen=True)
class MessageTiming:
    """The median of one kind of message, in units of this run."""

    name: str
    seconds: float
    unit: float
    limit: float

    @property
    def ratio(self) -> float:
        """How many units it takes."""
        return self.seconds / self.unit

    def __str__(self) -> str:
        mark = "ok " if self.ratio <= self.limit else "OVER"
        return f"{mark} {self.name:24} {self.seconds * 1000:7.1f} ms  {self.ratio:5.2f} x unit (limit {self.limit})"


def main() -> None:
    """Prints the figures."""
    content = document()
    provider = Provider()
    with ExitStack() as opened, tempfile.TemporaryDirectory() as folder:
        address = opened.enter_context(serving(provider, 2**24, bind("127.0.0.1", 0)))
        os.environ |= {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "not-a-key"}
        embedder, url = opened.enter_context(_server(Path(folder)))
        socket = opened.enter_context(connect(url.replace("http", "ws", 1) + "/ws/chat", proxy=None, max_size=None))
        unchanged, changed, units = _measured(socket, provider, embedder, content)
        unit = statistics.median(units)
    print(
        f"unit: {unit * 1000:.1f} ms for a frame of {len(_frame(content)) / 1e6:.1f} MB; prompt {provider.bytes} bytes"
    )
    figures = [
        MessageTiming("content unchanged", statistics.median(unchanged), unit, _UNCHANGED),
        MessageTiming("content changed", statistics.median(changed), unit, _CHANGED),
    ]
    print("\n".join(map(str, figures)))
    sys.exit(any(figure.ratio > figure.limit for figure in figures))


def _measured(
    socket: ClientConnection, provider: Provider, embedder: Embedder, content: str
) -> tuple[list[float], list[float], list[float]]:
    """Seconds for unchanged content, for changed content, and for the unit, taken in turns."""
    unchanged: list[float] = []
    changed: list[float] = []
    units: list[float] = []
    _asked(socket, provider, content)
    for run in range(_RUNS):
        units.append(_unit(embedder, content, run))
        unchanged.append(_asked(socket, provider, content))
        content = content.replace("The stairs", f"The stair {run:02}", 1) if run == 0 else _renamed(content, run)
        changed.append(_asked(socket, provider, content))
    return unchanged, changed, units


def _renamed(content: str, run: int) -> str:
    return content.replace(f"The stair {run - 1:02}", f"The stair {run:02}", 1)


def _asked(socket: ClientConnection, provider: Provider, content: str) -> float:
    """Seconds from sending the message to the first byte of the model's request; the turn is then ended."""
    frame = _frame(content)
    provider.asked.clear()
    started = time.perf_counter()
    socket.send(frame)
    if not provider.asked.wait(_PATIENCE_S):
        raise TimeoutError("the model was never asked")
    seconds = provider.asked_at - started
    while json.loads(socket.recv(timeout=_PATIENCE_S))["type"] != "end":
        pass
    return seconds


def _unit(embedder: Embedder, content: str, run: int) -> float:
    frame = _frame(content)
    started = time.perf_counter()
    json.loads(json.loads(frame)["arrow_content"])
    embedder.embed_query(f"{_QUESTION} {run}")
    return time.perf_counter() - started


def _frame(content: str) -> str:
    message = {"message": _QUESTION, "history": [], "selected_node_ids": [], "current_scene_id": -1}
    return json.dumps({"type": "user_message", **message, "current_project_id": 1, "arrow_content": content})


@contextmanager
def _server(folder: Path) -> Generator[tuple[Embedder, str]]:
    directory = DataDirectory(folder)
    with ExitStack() as opened:
        catalog = Catalog(directory.catalog_url)
        opened.callback(catalog.close)
        embedder = QuickEmbedder()
        retriever = Retriever(catalog, embedder, VectorStore(directory.chroma_path), directory.originals)
        opened.callback(retriever.close)
        readers = opened.enter_context(ReaderPool())
        ingestor = Ingestor(catalog, directory.originals, retriever, readers)
        key = ProjectKey("local", "1")
        ingestor.index(key, [Source("bible.md", _bible().encode())])
        assistant = Assistant(retriever, open_answerer(_MODEL), _CONTEXT_TOKENS)
        services = Services(
            catalog=catalog,
            retriever=retriever,
            ingestor=ingestor,
            assistant=assistant,
            embedding=EmbeddingWorker(ingestor.embed_if_free, retriever.repair),
        )
        yield embedder, opened.enter_context(serving(create_app(services, Access()), 2**26, bind("127.0.0.1", 0)))


def _bible() -> str:
    """5,000 sections that say each something else, one passage each."""
    words = ("oil", "lamp", "keeper", "ferry", "winter", "harbour", "toll", "light", "storm", "rope", "salt", "bell")

    def section(number: int) -> str:
        digest = hashlib.sha256(str(number).encode()).digest()
        said = " ".join(words[byte % len(words)] for byte in digest)
        return f"## Entry {number}\n\nOn day {number} the keeper wrote: {said}.\n"

    return "# Log\n\n" + "\n".join(section(number) for number in range(_PASSAGES))


def _event(kind: str, **data: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"


_ANSWER = "".join(
    (
        _event(
            "message_start",
            message={
                "id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [],
                "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
            },
        ),
        _event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        _event("content_block_delta", index=0, delta={"type": "text_delta", "text": "Three."}),
        _event("content_block_stop", index=0),
        _event("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 2}),
        _event("message_stop"),
    )
)  # fmt: skip


if __name__ == "__main__":
    main()
