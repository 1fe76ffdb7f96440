"""What an assistant pays for Fletcher: ``python -m benchmarks.mcp``.

The tokens of the list of tools; `search_documents` over standard input and output and over HTTP beside the search over
HTTP, in turns, so that whatever else the machine does falls on all three; and how long `fletcher mcp` takes until
`initialize` is answered while a server runs. Exit code 1 for more than 20 tools, 6,000 tokens, 1.5 times the search
over HTTP, or 1.5 s.
"""

import asyncio
import importlib.util
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
from mcp import Client, StdioServerParameters
from rich.console import Console
from rich.table import Table

from benchmarks._server_process import running
from corpora.samples import SAMPLE
from mcp_server.caller import Caller
from mcp_server.tools import definitions

_RUNS = 60
_STARTS = 5
_MOST_TOOLS, _MOST_TOKENS, _MOST_TIMES, _MOST_START_S = 20, 6_000, 1.5, 1.5
_QUERIES = ("lighthouse", "who keeps the lamp", "ferry", "storm", "harbour master")
# The vocabularies that come with LlamaIndex; without it a token is counted as four characters.
_VOCABULARIES = "_static/tiktoken_cache"


def _tokens(text: str) -> int:
    found = importlib.util.find_spec("llama_index.core") if importlib.util.find_spec("llama_index") else None
    if found is None or found.origin is None:
        return len(text) // 4
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(Path(found.origin).parent / _VOCABULARIES))
    import tiktoken

    return len(tiktoken.get_encoding("cl100k_base").encode(text))


def _command(data: Path) -> StdioServerParameters:
    words = ["-m", "fletcher", "mcp", "--project", "1", "--data-dir", str(data)]
    return StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))


async def _timed(ask: Callable[[str], Awaitable[object]], query: str) -> float:
    began = time.perf_counter()
    await ask(query)
    return time.perf_counter() - began


async def _searches(url: str, data: Path) -> dict[str, float]:
    """Medians, in seconds."""
    async with AsyncExitStack() as opened:
        http = await opened.enter_async_context(httpx.AsyncClient(base_url=url, trust_env=False, timeout=60))
        over_http = await opened.enter_async_context(Client(f"{url}/mcp", mode="legacy", cache=None))
        over_stdio = await opened.enter_async_context(Client(_command(data), mode="legacy", cache=None))
        ways: dict[str, Callable[[str], Awaitable[object]]] = {
            "HTTP search": lambda query: http.get("/projects/1/search", params={"q": query}),
            "MCP over HTTP": lambda query: over_http.call_tool("search_documents", {"query": query, "project": "1"}),
            "MCP over stdio": lambda query: over_stdio.call_tool("search_documents", {"query": query}),
        }
        times: dict[str, list[float]] = {name: [] for name in ways}
        for number in range(_RUNS + len(_QUERIES)):
            for name, ask in ways.items():
                seconds = await _timed(ask, _QUERIES[number % len(_QUERIES)])
                if number >= len(_QUERIES):  # the first of each loads what it needs
                    times[name].append(seconds)
    return {name: statistics.median(measured) for name, measured in times.items()}


async def _start(data: Path) -> float:
    """The quickest start until `initialize` is answered, in seconds."""
    times: list[float] = []
    for _ in range(_STARTS):
        began = time.perf_counter()
        async with Client(_command(data), mode="legacy"):
            times.append(time.perf_counter() - began)
    return min(times)


async def _measured() -> tuple[dict[str, float], float]:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        command = [sys.executable, "-m", "fletcher", "serve", "--data-dir", str(data), "--port"]
        with running("fletcher", command, "/healthz", {}, Path(folder)) as server:
            url = server.url
            async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=600) as http:
                files = [path for path in sorted(SAMPLE.documents.rglob("*")) if path.is_file()]
                forms = [("files", (path.name, path.read_bytes())) for path in files]
                (await http.post("/projects/1/corpus?wait=true", files=forms)).raise_for_status()
            return await _searches(url, data), await _start(data)


def main() -> int:
    """Prints the figures; returns the exit code."""
    listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in definitions(Caller("local"))]
    tokens = _tokens(json.dumps(listed))
    searches, start_s = asyncio.run(_measured())
    plain = searches["HTTP search"]
    table = Table("figure", "measured", "at most")
    table.add_row("tools", str(len(listed)), str(_MOST_TOOLS))
    table.add_row("tokens of their list", f"{tokens:,}", f"{_MOST_TOKENS:,}")
    for name, seconds in searches.items():
        table.add_row(name, f"{seconds * 1000:.1f} ms, {seconds / plain:.2f} times", f"{_MOST_TIMES} times")
    table.add_row("start of fletcher mcp", f"{start_s:.2f} s", f"{_MOST_START_S} s")
    Console().print(table)
    is_met = len(listed) <= _MOST_TOOLS and tokens <= _MOST_TOKENS and start_s <= _MOST_START_S
    return 0 if is_met and max(searches.values()) <= _MOST_TIMES * plain else 1


if __name__ == "__main__":
    sys.exit(main())
