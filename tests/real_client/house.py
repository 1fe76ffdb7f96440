"""The real server, a process with a data directory of its own, and the provider's stub behind it."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from starlette.types import Receive, Scope, Send

from fletcher.loopback import bind, serving
from tests.end_to_end.messages_api import HttpError, MessagesApi, Script
from tests.forked import Forked
from tests.server_process import CLEAN_ENVIRONMENT, server_process

_PATIENCE_S = 300
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
    process: "subprocess.Popen[bytes] | Forked"
    log: list[str]

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
        environment = CLEAN_ENVIRONMENT | {
            "ANTHROPIC_API_KEY": "not-a-key",
            "ANTHROPIC_BASE_URL": model_url,
            "FLETCHER_CALL_TIMEOUT_S": str(CALL_TIMEOUT_S),
        }
        command = [sys.executable, "-m", "fletcher", "serve", "--port", str(port), "--data-dir", str(data_dir)]
        server = stack.enter_context(server_process(command, data_dir.parent, environment))
        yield House(server.url, model, server.process, server.log)
