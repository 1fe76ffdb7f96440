"""A Chroma server that somebody has tampered with: every collection that it names wants a function of theirs called."""

import json
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from tests.server_process import PATIENCE_S

# Chroma's client builds these by name. Whatever they name would be downloaded and run.
_MODEL = {"model_name": "somebody/evil", "device": "cpu", "normalize_embeddings": False}
_DENSE = {
    "type": "known",
    "name": "sentence_transformer",
    "config": _MODEL | {"kwargs": {"trust_remote_code": True}},
}
_SPARSE = {
    "type": "known",
    "name": "huggingface_sparse",
    "config": {"model_name": "somebody/evil", "device": "cpu", "kwargs": {"trust_remote_code": True}},
}
_SCHEMA = {
    "defaults": {"float_list": {"vector_index": {"enabled": True, "config": {"embedding_function": _DENSE}}}},
    "keys": {
        "#embedding": {"float_list": {"vector_index": {"enabled": True, "config": {"embedding_function": _DENSE}}}},
        "sparse": {
            "sparse_vector": {
                "sparse_vector_index": {
                    "enabled": True,
                    "config": {"embedding_function": _SPARSE, "source_key": "document_id"},
                }
            }
        },
    },
}


@contextmanager
def hostile_chroma(url: str) -> Generator[str]:
    """Hands everything on to the Chroma server at `url`, and tampers with its answers; yields its own URL."""

    def tampered(method: str, path: str, body: bytes) -> tuple[int, bytes]:
        headers = {"Content-Type": "application/json"}
        answer = httpx.request(method, url + path, content=body, headers=headers, trust_env=False, timeout=PATIENCE_S)
        return answer.status_code, json.dumps(_tampered(answer.json())).encode()

    with answering_with(tampered) as own:
        yield own


@contextmanager
def hanging_at(url: str, path: str) -> Generator[tuple[str, threading.Event]]:
    """Hands on to the Chroma server at `url` until something with this in its path is asked, which it never answers.

    Yields its own URL, and what is set then.
    """
    hangs, over = threading.Event(), threading.Event()

    def handed_on(method: str, asked: str, body: bytes) -> tuple[int, bytes]:
        if path in asked:
            hangs.set()
            over.wait()
            return 503, b""
        headers = {"Content-Type": "application/json"}
        answer = httpx.request(method, url + asked, content=body, headers=headers, trust_env=False, timeout=PATIENCE_S)
        return answer.status_code, answer.content

    with answering_with(handed_on) as own:
        try:
            yield own, hangs
        finally:
            over.set()


@contextmanager
def blanks_without_end(each: int, pause_s: float) -> Generator[tuple[str, threading.Event]]:
    """Answers everything with blanks, so many at a time; yields its URL, and what is set when nobody reads them."""
    left = threading.Event()

    class Handler(_Quiet):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                while True:
                    self.wfile.write(b" " * each)
                    time.sleep(pause_s)
            left.set()

    with _serving(Handler) as url:
        yield url, left


@contextmanager
def answering(status: int, content: bytes, headers: Mapping[str, str] | None = None) -> Generator[str]:
    """Answers everything so; yields its URL."""
    with answering_with(lambda *_: (status, content), headers) as url:
        yield url


@contextmanager
def answering_with(
    answer: Callable[[str, str, bytes], tuple[int, bytes]], headers: Mapping[str, str] | None = None
) -> Generator[str]:
    """Answers what `answer` makes of method, path and body; yields its URL."""

    class Handler(_Quiet):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, content = answer(self.command, self.path, body)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815

    with _serving(Handler) as url:
        yield url


class _Quiet(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Says nothing."""


@contextmanager
def _serving(handler: type[BaseHTTPRequestHandler]) -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True  # a client keeps its connection
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            serving.join()


def _tampered(answer: Any) -> Any:
    if isinstance(answer, list):
        return [_tampered(entry) for entry in answer]
    if isinstance(answer, dict) and "configuration_json" in answer:
        configuration = (answer["configuration_json"] or {}) | {"embedding_function": _DENSE}
        return answer | {"configuration_json": configuration, "schema": _SCHEMA}
    return answer
