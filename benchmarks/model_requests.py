"""Processor time of a model request, beside the provider's own SDK: ``python -m benchmarks.model_requests``.

A server with a story of about 72 nodes does a turn of six requests (five calls, then a sentence); then this process
sends the very same bodies with ``AsyncAnthropic.messages.stream`` and nothing else; then it is the server's turn again,
so that both meet the same load. The provider is a stub in a process of its own. Only processor time counts, and none of
who waits; all that a turn takes does: reading the message, the prompt, the calls, what is kept for an undo.
Exit code 1 if a request takes more than 2.2 times the processor time that the SDK alone takes, in half of the rounds.
"""

import asyncio
import json
import multiprocessing
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx
from anthropic import AsyncAnthropic
from starlette.types import Receive, Scope, Send

from arrow_project import parse
from benchmarks._model_stub import CALLS, ModelStub
from benchmarks._server_process import Server, running
from benchmarks.arrow_project import document
from fletcher.loopback import bind, serving

_SCENES, _PER_SCENE = 6, 12
_ROUNDS, _FIRST_ROUNDS = 60, 5  # what is kept is filled in the first, which do not count
_REQUESTS = CALLS + 1
_LIMIT = 2.2
_PATIENCE_S = 60.0


class _Provider(ModelStub):
    """Also says, at `/bodies`, what it was last asked."""

    def __init__(self, node_id: int) -> None:
        super().__init__(node_id)
        self._bodies: list[bytes] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/bodies":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"[" + b",".join(self._bodies) + b"]"})
        else:
            await super().__call__(scope, receive, send)

    def _anthropic(self, body: bytes) -> Iterator[str]:
        self._bodies = [*self._bodies, body][-CALLS - 1 :]
        return super()._anthropic(body)


def main() -> None:
    """Prints the figures."""
    if sys.platform != "linux":
        print("left out: another process's clock is read as Linux names it")
        return
    warnings.simplefilter("ignore", DeprecationWarning)  # of the model, whose name is all that matters here
    content = document(_SCENES, _PER_SCENE)
    nodes = parse(content).data.nodes
    message = {"message": "I am client 7.", "arrow_content": content}
    with _provider(max(nodes)) as provider, _fletcher(provider) as server:
        ours, alone = asyncio.run(_measured(server, provider, message))
    ratios = [one / other for one, other in zip(ours, alone, strict=True)]
    low, _, high = statistics.quantiles(ratios, n=4)
    ratio = statistics.median(ratios)
    print(
        f"{len(nodes)} nodes: {statistics.median(ours) * 1000:.1f} ms a request, the SDK alone "
        f"{statistics.median(alone) * 1000:.1f} ms\n{'ok  ' if ratio <= _LIMIT else 'OVER'} {ratio:.2f} times the SDK "
        f"(half of {_ROUNDS} rounds between {low:.2f} and {high:.2f}), limit {_LIMIT:g}"
    )
    sys.exit(ratio > _LIMIT)


async def _measured(server: Server, provider: str, message: dict[str, Any]) -> tuple[list[float], list[float]]:
    """Seconds of processor time a request, in each round: of the server, and of the SDK in this process."""
    ours: list[float] = []
    alone: list[float] = []
    sdk = AsyncAnthropic(base_url=provider, api_key="not-a-key", max_retries=0)
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=_PATIENCE_S) as client, sdk:
        bodies: list[dict[str, Any]] = []
        for _ in range(_FIRST_ROUNDS + _ROUNDS):
            started = server.cpu_s()
            answer = await client.post("/projects/1/turns", json=message)
            ours.append((server.cpu_s() - started) / _REQUESTS)
            assert answer.raise_for_status().json()["usage"]["requests"] == _REQUESTS, answer.text
            bodies = bodies or json.loads((await client.get(f"{provider}/bodies")).content)
            started = time.process_time()
            await _stream(sdk, bodies)
            alone.append((time.process_time() - started) / _REQUESTS)
    return ours[_FIRST_ROUNDS:], alone[_FIRST_ROUNDS:]


async def _stream(sdk: AsyncAnthropic, bodies: list[dict[str, Any]]) -> None:
    for body in bodies:
        fields = {name: value for name, value in body.items() if name != "stream"}
        async with sdk.messages.stream(**fields) as stream:
            await stream.get_final_message()


@contextmanager
def _fletcher(provider: str) -> Generator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "FLETCHER_DATA_DIR": folder,
            "FLETCHER_MODEL": "anthropic:claude-sonnet-4-5",
            "FLETCHER_TURNS_PER_MINUTE": "1000000",
            "ANTHROPIC_BASE_URL": provider,
            "ANTHROPIC_API_KEY": "not-a-key",
        }
        command = [sys.executable, "-m", "fletcher", "serve", "--port"]
        with running("Fletcher", command, "/healthz", settings, Path(folder)) as server:
            yield server


@contextmanager
def _provider(node_id: int) -> Generator[str]:
    """The address of a provider in a process of its own, so that what it takes is nobody's here."""
    here, there = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(node_id, there), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        here.send(None)
        process.join()


def _serve(node_id: int, told: "Connection[str, None]") -> None:
    with serving(_Provider(node_id), 2**24, bind("127.0.0.1", 0)) as address:
        told.send(address)
        told.recv()


if __name__ == "__main__":
    main()
