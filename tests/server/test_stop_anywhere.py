"""A hundred stops at random instants: none leaves a turn, a task or a model's request alive, and no call follows."""

import random
import threading

import pytest

from server.dialects import DIALECTS
from tests.agent.scripted_model import PATIENCE_S, Reply, Request, Use
from tests.agent.story import story_text
from tests.server.client import Client, Frame, types
from tests.server.house import House
from tests.waiting import eventually

pytestmark = pytest.mark.long

STOPS = 100
ENDS = {"fletcher": "turn_end"}
# What an end may consist of, in any dialect; a stop that comes too late is answered as well.
OF_AN_END = {"status", "operation_end", "end", "turn_end"}
LINE = {"type": "dialog", "preset": {"character": "Elena", "lines": ["Hm."]}, "connect_from": {"node_id": 3, "slot": 0}}


def long_turn(request: Request) -> Reply:
    """Words and calls in turns: a variable, a node that is two calls, and again."""
    number = request.everything.count("ToolReturnPart(")
    if number == 6:
        return ["That ", "is ", "all."]
    use = Use("create_variable", {"name": f"gold_{number}", "type": "num"}) if number % 2 == 0 else _node(number)
    return ["I ", "shall ", "go ", "on. ", use]


def _node(number: int) -> Use:
    connect_from = {"node_id": 3, "slot": 0} if number == 1 else {"node_id": "last_created", "slot": 0}
    return Use("create_insert_node", LINE | {"connect_from": connect_from})


def stopped(client: Client, chance: random.Random, end: str) -> list[Frame]:
    """One turn that is stopped at some instant; what came after the stop, up to the answer to a last message."""
    client.ask("Add gold and lines.", arrow_content=story_text(), current_scene_id=0)
    frames: list[Frame] = []
    left = chance.randrange(20)
    while left and end not in types(frames):
        frames.append(client.frame())
        left -= 1
        if frames[-1]["type"] == "function_call" and (left or chance.random() < 0.5):
            client.answer(frames[-1])
    # Nothing is waited for: the instant itself is what is random, also between two frames.
    threading.Event().wait(chance.random() * 0.01)
    client.send("stop")
    client.send("is anything still coming?")
    after = [client.frame()]
    while "is anything still coming?" not in str(after[-1]):
        after.append(client.frame())
    return after[:-1]


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_stops_at_random_instants(home: House, dialect: str) -> None:
    home.model.otherwise = long_turn
    chance, end = random.Random(f"stops in {dialect}"), ENDS.get(dialect, "end")
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        for _ in range(STOPS // len(DIALECTS)):
            after = types(stopped(client, chance, end))
            assert end in after
            assert set(after[after.index(end) :]) <= OF_AN_END, "nothing follows the end but another one"
            assert home.model.under_way == 0
            assert not [task for task in home.watched.tasks() if "_run_turn" in task]
    assert home.watched.sockets_done.acquire(timeout=PATIENCE_S)
    eventually(lambda: home.watched.tasks() == set())
