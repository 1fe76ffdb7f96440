"""A client as the protocol describes it, with an editor in memory in place of Arrow."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from websockets.sync.client import ClientConnection, connect

from arrow_project import ArrowProject, Operation, OperationError, Selection
from corpora import Owner
from fletcher.errors import CommandError

# A step of a large model may take a while; a step that takes longer than this is not coming.
_PATIENCE_S = 180


class DemoClient:
    """Says messages over the socket and executes the calls that come back; a context manager that hangs up."""

    def __init__(self, owner: Owner, project: ArrowProject, project_id: int) -> None:
        self.project = project
        self._project_id = project_id
        self._last_created: int | None = None
        self._socket: ClientConnection = connect(
            f"{owner.url}/ws/chat".replace("http", "ws", 1),
            additional_headers={"Authorization": f"Bearer {owner.key}"},
            max_size=2**26,
            proxy=None,
            open_timeout=30,
        )
        self._send({"type": "file_sync", "project_id": project_id, "arrow_content": project.to_text()})

    def __enter__(self) -> "DemoClient":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def say(self, message: str, on_call: Callable[[str, dict[str, Any], Any], None]) -> Iterator[str]:
        """One turn: yields the texts of the answer, and tells `on_call` each executed function with its result."""
        self._send({"type": "user_message", "message": message, "current_project_id": self._project_id})
        while (frame := self._receive())["type"] != "end":
            if frame["type"] == "chat_response":
                yield frame["message"]
            elif frame["type"] == "function_call":
                result = self._execute(frame)
                on_call(frame["function"], frame["arguments"], result.get("result") or result.get("error"))
                self._send(result)

    def _execute(self, call: dict[str, Any]) -> dict[str, Any]:
        answer = {"type": "function_result", "request_id": call["request_id"]}
        try:
            applied = self.project.apply(
                Operation(call["function"], call["arguments"]), Selection(last_created=self._last_created)
            )
        except OperationError as error:
            return answer | {"success": False, "result": "", "error": f"{error.code}: {error}"}
        if applied.created:
            self._last_created = applied.created[-1]
        return answer | {"success": True, "result": applied.result, "error": ""}

    def _send(self, message: dict[str, Any]) -> None:
        self._socket.send(json.dumps(message))

    def _receive(self) -> dict[str, Any]:
        try:
            return json.loads(self._socket.recv(timeout=_PATIENCE_S))
        except TimeoutError as error:
            raise CommandError(f"The server has said nothing for {_PATIENCE_S} seconds.") from error
