"""Many clients at once, and stops at random instants: ``python -m benchmarks.server``.

200 sockets, each with a turn of five calls; the model (a stub of the provider's API) and the clients answer at once, so
the time of a turn is the server's own, with what it waits for the other 199 and for this process, which shares the
machine. Then 500 turns are stopped, and 100 on a story of 5,000 nodes and 4 MB, which comes with every message. Beside
it the Arrow-AI fork's server does the same turns, where ``ARROW_AI`` names a checkout of the fork and
``ARROW_AI_PYTHON`` a Python that has the packages of its ``Server/pyproject.toml``. Exit code 1 if one of our messages
is lost or reaches a wrong client, a stop leaves something behind, or more than one stop in a hundred takes longer than
100 ms.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from arrow_project import parse
from benchmarks._model_stub import CALLS, ModelStub, name_for
from benchmarks._server_process import Server, running
from benchmarks.arrow_project import document
from corpora.samples import SAMPLE
from fletcher.loopback import bind, serving

_CLIENTS = 200
_ALONE = 30  # turns, one after the other
_STOPS = 500
_STOPPING = 2  # clients that stop at the same time
_LARGE_STOPS = 100
_STREAM_PAUSE_S = 0.001
_STOP_LIMIT_S = 0.1
_PATIENCE_S = 60.0
_SETTLING_S = 5.0


class GeneratedStory:
    """A story that clients send, escaped once: writing 4 MB as JSON for each frame would be this process's time."""

    def __init__(self, content: str) -> None:
        nodes = parse(content).data.nodes.items()
        self.node_id, self.node_name = next((k, n["name"]) for k, n in nodes if content.count(f'"{n["name"]}"') == 1)
        self._before, _, self._after = json.dumps(content).partition(_escaped(self.node_name))

    def renamed(self, name: str) -> str:
        """The content as a JSON text, with another name for its node."""
        return self._before + _escaped(name) + self._after


def _escaped(name: str) -> str:
    """A name in quotes, as it stands in a text inside JSON."""
    return json.dumps(json.dumps(name))[1:-1]


@dataclass
class SocketClient:
    """An editor that renames its node whenever it is asked, and notes whose call it was."""

    who: int
    socket: ClientConnection
    story: GeneratedStory
    name: str = ""
    calls: list[str] = field(default_factory=list[str])
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    seconds: float = 0.0

    async def turn(self) -> None:
        """Sends the message, and waits for the end."""
        self.calls, self.name = [], self.story.node_name
        self.ended.clear()
        started = time.perf_counter()
        await self.socket.send(self._message())
        await asyncio.wait_for(self.ended.wait(), _PATIENCE_S)
        self.seconds = time.perf_counter() - started

    async def answer(self) -> None:
        """Answers calls for as long as the socket is open."""
        async for raw in self.socket:
            frame = json.loads(raw)
            if frame["type"] == "function_call":
                self.calls.append(frame["arguments"]["name"])
                await self.socket.send(self._result(frame))
            elif frame["type"] == "end":
                self.ended.set()

    def _result(self, call: dict[str, Any]) -> str:
        self.name = call["arguments"]["name"]
        result = {"success": True, "result": "Node updated successfully", "error": ""}
        said = {"type": "function_result", "request_id": call["request_id"], **result}
        return self._with_content(said)

    def _message(self) -> str:
        message = {"message": f"I am client {self.who}.", "history": [], "selected_node_ids": [], "current_scene_id": 0}
        return self._with_content({"type": "user_message", **message, "current_project_id": self.who + 1})

    def _with_content(self, frame: dict[str, Any]) -> str:
        return f'{json.dumps(frame)[:-1]}, "arrow_content": {self.story.renamed(self.name)}}}'


@dataclass(frozen=True)
class Figures:
    """What was measured of one server."""

    alone: Sequence[float]
    seconds: Sequence[float]
    wall_s: float
    cpu_s: float
    idle_bytes: int
    used_bytes: int
    strayed: int
    lost: int
    unfinished: int

    def __str__(self) -> str:
        rate, cpu_ms = len(self.seconds) / self.wall_s, self.cpu_s / _CLIENTS * 1000
        idle, used = self.idle_bytes / _CLIENTS / 1024, self.used_bytes / _CLIENTS / 1024
        asked = _CLIENTS * CALLS
        return (
            f"   one client        {_spread(self.alone)} a turn\n"
            f"   {_CLIENTS} at once       {_spread(self.seconds)} a turn; {rate:.1f} turns/s\n"
            f"   processor         {cpu_ms:.1f} ms a turn\n"
            f"   memory            {idle:.0f} KiB a connection, {used:.0f} KiB after its turn\n"
            f"   calls             {self.strayed} of {asked} reached a wrong client, {self.lost} never reached the "
            f"right one; {self.unfinished} turns had no end"
        )


def main() -> None:
    """Prints the figures."""
    if not Path("/proc/self/statm").exists():
        print("left out: memory and processor time are read from /proc, which this system does not have")
        return
    story = GeneratedStory(SAMPLE.arrow_file.read_text(encoding="utf-8"))
    stub = ModelStub(story.node_id)
    failed = False
    with ExitStack() as opened:
        model = opened.enter_context(serving(stub, 2**24, bind("127.0.0.1", 0)))
        with _fletcher(model) as server:
            figures = asyncio.run(_measured(server, story))
            print(f"{server.name}: turns of {CALLS} calls, {CALLS + 1} model requests\n{figures}", flush=True)
            failed = bool(figures.strayed or figures.lost or figures.unfinished)
            stub.pause_s = _STREAM_PAUSE_S
            for told, stopped, count in ((story, "the sample", _STOPS), (large_story(), "4 MB", _LARGE_STOPS)):
                stub.node_id = told.node_id
                stops = asyncio.run(_stopped(server, told, count))
                left = _turns_left(server)
                failed |= _told_of_stops(stopped, stops, left, stub.under_way)
            stub.node_id, stub.pause_s = story.node_id, 0.0
        reason = _why_not()
        if reason is not None:
            print(f"Arrow-AI's server: not measured, {reason}")
        else:
            with _fork(model) as server:
                print(f"{server.name}: the same turns, {CALLS + 2} model requests", flush=True)
                print(asyncio.run(_measured(server, story)))
    sys.exit(failed)


def large_story() -> GeneratedStory:
    """5,000 nodes, about 4 MB."""
    return GeneratedStory(document().replace("The keeper counts", "The keeper of the northern light counts"))


def _told_of_stops(name: str, stops: Sequence["StopFrame"], turns_left: float, requests_left: int) -> bool:
    """Whether a stop was not one."""
    took = [stop.seconds for stop in stops]
    over, late = sum(s > _STOP_LIMIT_S for s in took), sum(stop.calls_after_end for stop in stops)
    in_time, limit_ms = sum(stop.was_running for stop in stops), _STOP_LIMIT_S * 1000
    print(
        f"{len(stops)} stops at random instants, story: {name}, {in_time} of them before the turn's own end\n"
        f"   until the end     {_spread(took)}, longest {max(took) * 1000:.1f} ms; {over} over {limit_ms:.0f} ms\n"
        f"   left behind       {turns_left:.0f} turns, {requests_left} model requests; {late} calls after an end",
        flush=True,
    )
    return bool(over > len(stops) // 100 or late or turns_left or requests_left)


# --- turns ---------------------------------------------------------------------------------------------------------


async def _measured(server: Server, story: GeneratedStory) -> Figures:
    async with AsyncExitStack() as opened:
        alone = (await _connected(opened, server, range(1), story))[0]
        alone_s: list[float] = []
        for _ in range(_ALONE):
            await alone.turn()
            alone_s.append(alone.seconds)
        before = server.memory()
        clients = await _connected(opened, server, range(1, _CLIENTS + 1), story)
        idle = server.memory() - before
        cpu_s, started = server.cpu_s(), time.perf_counter()
        ends = await asyncio.gather(*(client.turn() for client in clients), return_exceptions=True)
        wall_s, cpu_s = time.perf_counter() - started, server.cpu_s() - cpu_s
        strayed = lost = 0
        for client in clients:
            own = {name_for(client.who, number) for number in range(CALLS)}
            strayed += sum(name not in own for name in client.calls)
            lost += len(own - set(client.calls))
        finished = [client.seconds for client, end in zip(clients, ends, strict=True) if end is None]
        return Figures(
            alone=alone_s,
            seconds=finished,
            wall_s=wall_s,
            cpu_s=cpu_s,
            idle_bytes=idle,
            used_bytes=server.memory() - before,
            strayed=strayed,
            lost=lost,
            unfinished=len(clients) - len(finished),
        )


async def _connected(
    opened: AsyncExitStack, server: Server, numbers: range, story: GeneratedStory
) -> list[SocketClient]:
    clients: list[SocketClient] = []
    for who in numbers:
        client = SocketClient(who, await opened.enter_async_context(_open(server)), story)
        answering = asyncio.create_task(client.answer())
        opened.callback(answering.cancel)
        clients.append(client)
    return clients


def _open(server: Server) -> connect:
    return connect(f"{server.url.replace('http', 'ws', 1)}/ws/chat", proxy=None, max_size=None)


# --- stops ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StopFrame:
    """One stop: how long until `end` came, whether the turn was still running, and what came after the end."""

    seconds: float
    was_running: bool
    calls_after_end: int


async def _stopped(server: Server, story: GeneratedStory, count: int) -> list[StopFrame]:
    async with AsyncExitStack() as opened:
        whole = (await _connected(opened, server, range(1), story))[0]
        await whole.turn()
    chance = random.Random(500)
    instants = [chance.uniform(0, whole.seconds) for _ in range(count)]
    shares = [instants[at::_STOPPING] for at in range(_STOPPING)]
    done = await asyncio.gather(*(_stopping(server, who, share, story) for who, share in enumerate(shares)))
    return [stop for stops in done for stop in stops]


async def _stopping(server: Server, who: int, instants: Sequence[float], story: GeneratedStory) -> list[StopFrame]:
    stops: list[StopFrame] = []
    async with AsyncExitStack() as opened:
        client = (await _connected(opened, server, range(who, who + 1), story))[0]
        for instant in instants:
            turn = asyncio.create_task(client.turn())
            await asyncio.sleep(instant)
            was_running = not turn.done()
            client.ended.clear()
            stopped_at = time.perf_counter()
            await client.socket.send('{"type": "stop"}')
            await asyncio.wait_for(client.ended.wait(), _PATIENCE_S)
            seconds, calls = time.perf_counter() - stopped_at, len(client.calls)
            turn.cancel()
            # Whatever the turn has left behind would be sent before the answer to this second stop.
            client.ended.clear()
            await client.socket.send('{"type": "stop"}')
            await asyncio.wait_for(client.ended.wait(), _PATIENCE_S)
            stops.append(StopFrame(seconds, was_running, len(client.calls) - calls))
    return stops


# --- servers -------------------------------------------------------------------------------------------------------


@contextmanager
def _fletcher(model: str) -> Generator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "FLETCHER_DATA_DIR": folder,
            "FLETCHER_MODEL": "anthropic:claude-sonnet-4-5",
            "FLETCHER_TURNS_PER_MINUTE": "1000000",
            "ANTHROPIC_BASE_URL": model,
            "ANTHROPIC_API_KEY": "not-a-key",
        }
        command = [sys.executable, "-m", "fletcher", "serve", "--port"]
        with running("Fletcher", command, "/healthz", settings, Path(folder)) as server:
            yield server


def _why_not() -> str | None:
    """Why the fork's server cannot be run here."""
    checkout, python = os.environ.get("ARROW_AI"), os.environ.get("ARROW_AI_PYTHON")
    if not checkout or not python:
        return "ARROW_AI (a checkout of the fork) and ARROW_AI_PYTHON (a Python with its server's packages) are not set"
    tried = subprocess.run(
        [python, "-c", "import Arrow_AI_Backend.main"],
        cwd=Path(checkout) / "Server",
        env=os.environ | {"OPENAI_API_KEY": "not-a-key"},
        capture_output=True,
        text=True,
        check=False,
    )
    return None if tried.returncode == 0 else f"it does not start: {tried.stderr.strip().splitlines()[-1]}"


@contextmanager
def _fork(model: str) -> Generator[Server]:
    settings = {"OPENAI_BASE_URL": f"{model}/v1", "OPENAI_API_KEY": "not-a-key"}
    command = [os.environ["ARROW_AI_PYTHON"], "-m", "uvicorn", "Arrow_AI_Backend.main:app", "--port"]
    folder = Path(os.environ["ARROW_AI"]) / "Server"
    with running("Arrow-AI's server", command, "/docs", settings, folder) as server:
        yield server


def _turns_left(server: Server) -> float:
    """Turns that are still under way a moment later: what a thread was at when a turn was stopped is finished."""
    deadline = time.monotonic() + _SETTLING_S
    while (left := _metric(server, "fletcher_turns_under_way")) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def _metric(server: Server, name: str) -> float:
    text = httpx.get(f"{server.url}/metrics", trust_env=False).text
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith(f"{name} ")))


def _spread(seconds: Sequence[float]) -> str:
    if len(seconds) < 2:
        return "nothing"
    percentiles = statistics.quantiles(seconds, n=100, method="inclusive")
    return f"p50 {percentiles[49] * 1000:.1f} ms, p99 {percentiles[98] * 1000:.1f} ms"


if __name__ == "__main__":
    main()
