"""The server that is attacked: `fletcher serve` in a process of its own, with tokens, real stores and a real model."""

import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil
from sqlalchemy import URL

from corpora import Catalog, DataDirectory, ProjectKey
from tests.forked import Forked, started

WITNESS_PROJECTS = ("lighthouse", "kept")
ATTACKER, WITNESS = "token-of-mallory", "token-of-ada"
WORKSPACES = {ATTACKER: "mallory", WITNESS: "ada"}
START_S = 120
_END_S = 30
_POLL_S = 0.05
_LEVEL = re.compile(r"^\S+ \S+ (ERROR|CRITICAL) (\S+?): (.{0,150})", re.MULTILINE)
_ANNOUNCED = re.compile(r"Fletcher serves (\S+)")


@dataclass
class Server:
    """A running server.

    Attributes:
        url: `http://127.0.0.1:PORT`.
        process: Its process; what it starts are the children of this.
        log: The file of all that it has written to standard error.
        data_dir: Where it keeps what is not in its stores.
        database_url: Its catalog.
        stores: The processes of its stores, by name; none where all is in the data directory.
        ended_s: How long it took to end when it was told to; None before, infinite if it had to be killed.
    """

    url: str
    process: psutil.Process
    log: Path
    data_dir: Path
    database_url: str | URL
    stores: dict[str, Sequence[psutil.Process]] = field(default_factory=dict[str, Sequence[psutil.Process]])
    ended_s: float | None = None

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        host, port = self.url.removeprefix("http://").split(":")
        return host, int(port)

    @property
    def socket_url(self) -> str:
        """Where sockets connect."""
        return self.url.replace("http", "ws", 1) + "/ws/chat"

    @property
    def is_alive(self) -> bool:
        """Whether the process is there and not a zombie."""
        return self.process.is_running() and self.process.status() != psutil.STATUS_ZOMBIE

    def http(self, token: str = ATTACKER, timeout_s: float = 60.0) -> httpx.Client:
        """An HTTP client with a token, the attacker's unless another is named."""
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.Client(base_url=self.url, headers=headers, trust_env=False, timeout=timeout_s)

    def owner(self) -> httpx.Client:
        """A client with the key of the owner's file, which the command line has, in the attacker's workspace."""
        owner = DataDirectory(self.data_dir).owner()
        assert owner is not None, "the server does not own its data directory"
        client = self.http(owner.key or "")
        client.headers["x-fletcher-workspace"] = WORKSPACES[ATTACKER]
        return client

    def projects(self) -> dict[ProjectKey, int]:
        """The attacker's projects, and how many documents each has."""
        with closing(Catalog(self.database_url)) as catalog:
            every = catalog.every_project()
            keys = [k for k in every if k.workspace == WORKSPACES[ATTACKER] and k.project_id not in WITNESS_PROJECTS]
            return {key: len(catalog.documents(key)) for key in keys}

    def readers(self) -> list[psutil.Process]:
        """The processes that read documents."""
        return [child for child in self._children() if "spawn_main" in _command_of(child)]

    def tracebacks(self) -> int:
        """How many stack traces are in the log."""
        return self._logged().count("Traceback (most recent call last)")

    def errors(self) -> Counter[str]:
        """What was logged as an error, and how often."""
        return Counter(f"{logger}: {said}" for _, logger, said in _LEVEL.findall(self._logged()))

    def _logged(self) -> str:
        return self.log.read_text("utf-8", "replace")

    def _children(self) -> list[psutil.Process]:
        try:
            return self.process.children(recursive=True)
        except psutil.NoSuchProcess:
            return []


@contextmanager
def attacked(
    folder: Path, *, shares_workspace: bool = False, forked: bool = False, **settings: str
) -> Generator[Server]:
    """Serves from `folder` until the end of the block.

    Args:
        folder: Where all of it is kept.
        shares_workspace: The witness has the attacker's workspace, instead of its own.
        forked: What it imports has been imported before it starts, and is not counted in its memory.
        settings: Environment variables.
    """
    workspaces = WORKSPACES | ({WITNESS: WORKSPACES[ATTACKER]} if shares_workspace else {})
    tokens, log, data_dir = folder / "tokens", folder / "log", folder / "data"
    tokens.write_text("".join(f"{token} {workspace}\n" for token, workspace in workspaces.items()), "utf-8")
    foreign = ("FLETCHER_", "ANTHROPIC_", "OPENAI_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    environment |= {"FLETCHER_TOKENS": str(tokens), "FLETCHER_MODEL": "local"}
    command = [sys.executable, "-m", "fletcher", "serve", "--port", "0", "--data-dir", str(data_dir)]
    with log.open("wb") as errors:
        if forked:
            process = started(command, folder, environment | settings, stderr=errors)
        else:
            searched = {"PYTHONPATH": os.pathsep.join(sys.path)}
            process = subprocess.Popen(command, cwd=folder, env=environment | searched | settings, stderr=errors)
    database_url = settings.get("FLETCHER_DATABASE_URL") or DataDirectory(data_dir).catalog_url
    server = Server("", psutil.Process(process.pid), log, data_dir, database_url)
    try:
        server.url = _announced(process, log)
        if "FLETCHER_DATABASE_URL" not in settings:
            with server.owner() as owner:  # who is in stays in, however many tokens are guessed from here
                owner.get("/metrics").raise_for_status()
        yield server
    finally:
        server.ended_s = _ended(process)


def _announced(process: "subprocess.Popen[bytes] | Forked", log: Path) -> str:
    """The URL, once the server answers at it."""
    give_up_at = time.monotonic() + START_S
    while time.monotonic() < give_up_at and process.poll() is None:
        if found := _ANNOUNCED.search(log.read_text("utf-8", "replace")):
            try:
                httpx.get(f"{found[1]}/healthz", trust_env=False).raise_for_status()
            except httpx.TransportError:
                continue
            return found[1]
        time.sleep(_POLL_S)
    raise RuntimeError("the server did not start:\n" + log.read_text("utf-8", "replace"))


def _ended(process: "subprocess.Popen[bytes] | Forked") -> float:
    """Ends the server, with all that it has started; how long it took to do as it was told, in seconds."""
    below = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    told_at = time.monotonic()
    process.terminate()
    try:
        process.wait(_END_S)
        took = time.monotonic() - told_at
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        took = float("inf")
    for child in below:
        if child.is_running():
            child.kill()
    return took


def _command_of(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:  # it has just ended
        return ""
