"""A client with a story open, for an assistant to work in."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text
from tests.server.client import flat
from tests.server.dispatcher import Dispatcher
from tests.server.house import House


class Arrow:
    """An editor as the add-on is one: it executes what it is asked, and shows its story when it is asked for it."""

    def __init__(self, socket: ClientConnection, content: str) -> None:
        self.socket = socket
        self.editor = Dispatcher(content)
        self.project_id: int | None = 1
        self.confirm: str | None = None
        self.before_it_shows: Callable[[], Awaitable[None]] | None = None
        self.seen: list[dict[str, Any]] = []
        self.refuses = self.never_answers = ""
        self.names_requests = True
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.called = asyncio.Event()
        self._news = asyncio.Condition()
        self._answering: list[asyncio.Task[None]] = []

    async def send(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def show(self, **fields: Any) -> None:
        await self.send(
            type="file_sync",
            project_id=self.project_id,
            arrow_content=self.editor.content,
            current_scene_id=0,
            selected_node_ids=[3],
            confirm=self.confirm,
            **fields,
        )

    async def open(self, project_id: int | None, story: Dispatcher) -> None:
        """Its user opens another story, and the server knows it."""
        self.project_id, self.editor = project_id, story
        await self.show()
        await self.has_arrived()

    async def has_arrived(self) -> None:
        """What was sent has come to the server."""
        errors = sum(one["type"] == "error" for one in self.seen)
        await self.send(type="are you there?")
        await self.until("error", errors + 1)

    async def listen(self) -> None:
        async for raw in self.socket:
            frame = json.loads(raw)
            async with self._news:
                self.seen.append(frame)
                self._news.notify_all()
            if frame["type"] == "story_request":
                if self.before_it_shows is not None:
                    await self.before_it_shows()
                await self.show(**({"request_id": frame["request_id"]} if self.names_requests else {}))
            elif frame["type"] == "function_call":
                self._answering.append(asyncio.create_task(self._execute(frame)))

    async def _execute(self, frame: dict[str, Any]) -> None:
        frame = flat(frame)
        self.called.set()
        await self.may_answer.wait()
        if frame["function"] == self.never_answers:
            return
        if frame["function"] == self.refuses:
            refused = {"success": False, "result": "", "error": "The disk is full."}
            await self.send(type="function_result", request_id=frame["request_id"], **refused)
            return
        result = self.editor.execute(frame["function"], frame["arguments"])
        answer = {"request_id": frame["request_id"], "success": True, "result": result}
        with suppress(ConnectionClosed):
            await self.send(type="function_result", arrow_content=self.editor.content, **answer)

    async def until(self, type_: str, count: int = 1) -> dict[str, Any]:
        """The last of so many frames of that type."""
        async with self._news, asyncio.timeout(PATIENCE_S):
            await self._news.wait_for(lambda: sum(one["type"] == type_ for one in self.seen) >= count)
        return [one for one in self.seen if one["type"] == type_][count - 1]

    def texts(self) -> str:
        return "".join(frame["text"] for frame in self.seen if frame["type"] == "text_chunk")


@asynccontextmanager
async def arrow(
    home: House, *capabilities: str, token: str | None = None, text: str = "", dialect: str = "fletcher"
) -> AsyncGenerator[Arrow]:
    """One with the story open, while the block runs."""
    async with connect(home.ws_url, proxy=None, open_timeout=PATIENCE_S) as socket:
        editor = Arrow(socket, text or story_text())
        listening = asyncio.create_task(editor.listen())
        hello = {"type": "hello", "dialect": dialect, "client": "Arrow 3.1", "capabilities": list(capabilities)}
        await editor.send(**hello, **({"token": token} if token else {}))
        await editor.until("connected")
        await editor.show()
        if dialect == "fletcher":
            await editor.has_arrived()
        yield editor
        listening.cancel()
