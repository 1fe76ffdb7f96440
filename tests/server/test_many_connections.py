"""Many clients at once: no message reaches a wrong one, none is lost, every turn ends."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor

from server.dialects import DIALECTS
from tests.agent.scripted_model import PATIENCE_S, Reply, Request, Use
from tests.server.client import Frame, flat, texts
from tests.server.house import House
from tests.waiting import eventually

CLIENTS, CALLS = 20, 3
ENDS = {"fletcher": "turn_end"}


def some_calls(request: Request) -> Reply:
    """A call for each request, and words after the last; whose they are is in the message."""
    (who,) = re.findall(r"I am client (\d+)\.", request.everything)
    number = request.everything.count("ToolReturnPart(")
    if number == CALLS:
        return [f"Done, client {who}."]
    return [Use("update_node", {"node_id": 3, "data": {"content": f"{who}, {number}"}})]


def turn_of(home: House, who: int, all_are_there: threading.Barrier) -> list[Frame]:
    """One client's turn, whose calls it answers; everything that it was sent."""
    dialect = list(DIALECTS)[who % len(DIALECTS)]
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.sync(project_id=who)
        all_are_there.wait(PATIENCE_S)
        client.ask(f"I am client {who}.", current_project_id=who)
        frames = [client.frame()]
        while frames[-1]["type"] != ENDS.get(dialect, "end"):
            if frames[-1]["type"] == "function_call":
                client.answer(frames[-1], f"done for {who}")
            frames.append(client.frame())
        client.assert_quiet()
    return frames


def test_every_client_gets_its_own_turn_and_nothing_else(home: House) -> None:
    home.model.otherwise = some_calls
    all_are_there = threading.Barrier(CLIENTS)
    with ThreadPoolExecutor(CLIENTS) as threads:
        turns = list(threads.map(lambda who: turn_of(home, who, all_are_there), range(CLIENTS)))
    for who, frames in enumerate(turns):
        calls = [flat(frame) for frame in frames if frame["type"] == "function_call"]
        contents = [call["arguments"]["data"]["content"] for call in calls]
        assert contents == [f"{who}, {number}" for number in range(CALLS)]
        assert len({call["request_id"] for call in calls}) == CALLS
        assert f"Done, client {who}." in texts(frames)[0]
    assert len(home.model.requests) == CLIENTS * (CALLS + 1)
    for _ in range(CLIENTS):
        assert home.watched.sockets_done.acquire(timeout=PATIENCE_S)
    eventually(lambda: home.watched.tasks() == set())  # the last stories may still be weighed
