"""What stands between Arrow and the server: it passes everything on, and speaks for either where a test wants that."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.client import ClientConnection, connect
from websockets.sync.server import ServerConnection, serve

Frame = dict[str, Any]
_PATIENCE_S = 300


@dataclass
class Relay:
    """A server for one Arrow.

    Attributes:
        url: What Arrow takes for the server.
        behind: The real one; "" where the test alone speaks for it.
        said: What Arrow has said, in order.
        greets: Whether a hello is answered, where there is no real one.
    """

    behind: str = ""
    url: str = ""
    said: list[Frame] = field(default_factory=list[Frame])
    greets: bool = True
    _arrow: ServerConnection | None = None
    _server: ClientConnection | None = None
    _swallowed: list[Frame] | None = None
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def say(self, **frame: Any) -> None:
        """Says something to Arrow, as the server would."""
        self._until(lambda: self._arrow is not None)
        assert self._arrow is not None
        self._arrow.send(json.dumps(frame))

    def heard(self, kind: str, since: int = 0, count: int = 1) -> Frame:
        """The first message of that type that Arrow has said after `since`, or the one after so many."""

        def found() -> list[Frame]:
            return [frame for frame in self.said[since:] if frame["type"] == kind]

        self._until(lambda: len(found()) >= count)
        return found()[count - 1]

    def ask(self, **frame: Any) -> list[Frame]:
        """Begins a turn in Arrow's session that Arrow hears nothing of; what the server says in it."""
        self._swallowed = frames = []
        assert self._server is not None
        self._server.send(json.dumps(frame))
        self._until(lambda: any(said["type"] == "turn_end" for said in frames))
        self._swallowed = None
        return frames

    def drop(self) -> None:
        """Ends the connection, as a server that has been killed."""
        assert self._arrow is not None
        self._arrow.close()

    def serve_arrow(self, arrow: ServerConnection) -> None:
        """One connection of Arrow's, to its end."""
        self._arrow = arrow
        with suppress(ConnectionClosed):
            if self.behind:
                address = self.behind.replace("http", "ws", 1) + "/ws/chat"
                with connect(address, max_size=None, open_timeout=_PATIENCE_S) as self._server:
                    threading.Thread(target=self._pass_back, args=(self._server, arrow), daemon=True).start()
                    self._listen(arrow)
            else:
                self._listen(arrow)

    def answer_http(self, _: ServerConnection, request: Request) -> Response | None:
        """What is no socket goes to the real server; only questions come this way."""
        if "Upgrade" in request.headers:
            return None
        if not self.behind:
            return Response(404, "Not Found", Headers(), b"{}")
        answer = httpx.get(self.behind + request.path, timeout=_PATIENCE_S)
        headers = Headers({"Content-Type": answer.headers["Content-Type"], "Content-Length": str(len(answer.content))})
        return Response(answer.status_code, "", headers, answer.content)

    def _listen(self, arrow: ServerConnection) -> None:
        for text in arrow:
            frame = json.loads(text)
            if self._server is not None:
                self._server.send(text)
            elif frame["type"] == "hello" and self.greets:
                self.say(type="connected", version="0", max_frame_bytes=1_000_000)
            with self._changed:
                self.said.append(frame)
                self._changed.notify_all()

    def _pass_back(self, server: ClientConnection, arrow: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            for text in server:
                if self._swallowed is None:
                    arrow.send(text)
                    continue
                with self._changed:
                    self._swallowed.append(json.loads(text))
                    self._changed.notify_all()

    def _until(self, holds: Any) -> None:
        with self._changed:
            if not self._changed.wait_for(holds, _PATIENCE_S):
                raise TimeoutError(f"nothing came; Arrow has said {[frame['type'] for frame in self.said]}")


@contextmanager
def relaying(behind: str = "") -> Generator[Relay]:
    """A relay, until the end of the block."""
    relay = Relay(behind)
    with serve(relay.serve_arrow, "127.0.0.1", 0, process_request=relay.answer_http, max_size=None) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        relay.url = f"http://127.0.0.1:{server.socket.getsockname()[1]}"
        try:
            yield relay
        finally:
            server.shutdown()
