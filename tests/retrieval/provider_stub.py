"""A server on loopback that speaks the embeddings API of OpenAI and of Ollama, well or badly."""

import base64
import json
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

from tests.retrieval.small_embedder import SmallEmbedder


class ProviderStub:
    """Its vectors are those of `SmallEmbedder`; `asked` has the texts of each request.

    The next `busy` requests are told to come again. While it has `blanks` it answers with them, with a pause after
    each, and `left` is set when nobody reads them. `mangled` makes of its vectors what it sends instead.
    """

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.refuses = False
        self.busy = 0
        self.mangled: Callable[[list[np.ndarray]], list[np.ndarray]] = list
        self.blanks: tuple[bytes, float] | None = None
        self.left = threading.Event()
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.url = ""
        self._embedder = SmallEmbedder()

    def answer(self, path: str, body: dict[str, object]) -> dict[str, object]:
        """What the provider answers, by the path that was asked."""
        given = body["input"]
        texts = [given] if isinstance(given, str) else list(map(str, given)) if isinstance(given, list) else []
        self.asked.append(texts)
        rows = self.mangled(list(self._embedder.embed_passages(texts)))
        if path == "/api/embed":
            return {"model": body["model"], "embeddings": [row.tolist() for row in rows]}
        assert path == "/v1/embeddings", path
        data = [
            {"object": "embedding", "index": place, "embedding": _encoded(row, body.get("encoding_format"))}
            for place, row in enumerate(rows)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return {"object": "list", "data": data, "model": body["model"], "usage": usage}


def _encoded(row: np.ndarray, encoding: object) -> object:
    return base64.b64encode(row.astype("<f4").tobytes()).decode() if encoding == "base64" else row.tolist()


@contextmanager
def provider_stub() -> Generator[ProviderStub]:
    """The stub, at its `url`."""
    stub = ProviderStub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.goes_on.wait(60)
            if stub.blanks is not None:
                self._go_on_with(*stub.blanks)
                return
            status, answer = 200, {"error": {"message": "no credit left"}}
            if stub.refuses:
                status = 402
            elif stub.busy:
                status, answer, stub.busy = 429, {"error": {"message": "too many requests"}}, stub.busy - 1
            else:
                answer = stub.answer(self.path, body)
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Retry-After", "0.01")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _go_on_with(self, blanks: bytes, pause_s: float) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            with suppress(OSError):
                while True:
                    self.wfile.write(blanks)
                    time.sleep(pause_s)
            stub.left.set()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the standard library
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stub.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield stub
        finally:
            stub.goes_on.set()
            server.shutdown()
