"""The real server, a process with a data directory of its own, and the provider's stub behind it."""

import os
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from starlette.types import Receive, Scope, Send

from fletcher.loopback import bind, serving
from tests.end_to_end.messages_api import HttpError, MessagesApi, Script

_PATIENCE_S = 180
# Short, so that a conversation can wait for it; long enough for a client on a busy machine.
CALL_TIMEOUT_S = 8
_OVER = HttpError(400, "invalid_request_error", "the script is over")
_BEYOND = 100


class Model:
    """The provider's stub; each conversation has a script of its own."""

    def __init__(self) -> None:
        self.api = MessagesApi(())

    def play(self, script: Script) -> MessagesApi:
        """From now on requests are answered by `script`; what is asked beyond its end is refused."""
        self.api = MessagesApi([*script, *[_OVER] * _BEYOND])
        return self.api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI application."""
        await self.api.app()(scope, receive, send)


@dataclass
class House:
    """A running server.

    Attributes:
        url: Where it is, `http://…`.
        model: What it takes for the provider.
        process: The server.
        log: The lines it has written so far.
    """

    url: str
    model: Model
    process: "subprocess.Popen[str]"
    log: list[str] = field(default_factory=list[str])

    @property
    def socket_url(self) -> str:
        """Where clients connect."""
        return self.url.replace("http", "ws", 1) + "/ws/chat"

    def take_log(self) -> list[str]:
        """What was logged since the last call."""
        lines, self.log[:] = self.log[:], []
        return lines

    def put_documents(self, project_id: str, documents: dict[str, str]) -> None:
        """Makes these the whole corpus of a project."""
        body = {"documents": [{"name": name, "text": text} for name, text in documents.items()], "replace": True}
        answer = httpx.post(f"{self.url}/projects/{project_id}/corpus", json=body, timeout=_PATIENCE_S)
        answer.raise_for_status()


@contextmanager
def house(data_dir: Path, port: int = 0) -> Generator[House]:
    """Runs the server on `data_dir` until the end of the block, or until its process is killed."""
    with ExitStack() as stack:
        model = Model()
        bound = stack.enter_context(bind("127.0.0.1", 0))
        model_url = stack.enter_context(serving(model, 2**20, bound))
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("FLETCHER_", "ANTHROPIC_"))}
        environment = clean | {
            "ANTHROPIC_API_KEY": "not-a-key",
            "ANTHROPIC_BASE_URL": model_url,
            "FLETCHER_CALL_TIMEOUT_S": str(CALL_TIMEOUT_S),
        }
        command = [sys.executable, "-m", "fletcher", "serve", "--port", str(port), "--data-dir", str(data_dir)]
        process = stack.enter_context(
            subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=data_dir.parent, env=environment)
        )
        stack.callback(process.terminate)
        opened = House("", model, process)
        announced = threading.Event()
        threading.Thread(target=_listen, args=(process, opened, announced), daemon=True).start()
        if not announced.wait(_PATIENCE_S) or not opened.url:
            raise RuntimeError("the server did not start:\n" + "".join(opened.log))
        yield opened


def _listen(process: "subprocess.Popen[str]", opened: House, announced: threading.Event) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        opened.log.append(line)
        if "Fletcher serves " in line:
            opened.url = line.split("Fletcher serves ")[1].split()[0]
            announced.set()
    announced.set()
