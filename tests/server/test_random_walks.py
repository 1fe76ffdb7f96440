"""A writer, an editor and a model do what they like: nothing that is known is overwritten unasked, or gone for good."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.agent.scripted_model import Reply, Request, Use
from tests.server.client import Client, flat
from tests.server.dispatcher import Dispatcher
from tests.server.house import House
from tests.server.patience import Patience
from tests.server.test_half_done import ENDS
from tests.server.test_newest_story import with_a_node_alone

WALKS = 3  # of each dialect; 60 take a minute
STEPS = 25
NODES = (3, 50)
_BY_HAND = "by hand, in more words than a line. " * 8


class Walk:
    """One connection, on which something happens in each step; `log` says what has happened so far."""

    def __init__(self, client: Client, dialect: str, patience: Patience, chance: random.Random) -> None:
        self._client, self._end, self._patience, self._chance = client, ENDS[dialect], patience, chance
        self._editor = Dispatcher(with_a_node_alone("What was there before."))
        self._by_hand = list[str]()  # what the writer has written
        self._written = list[tuple[int, str, str]]()  # and where, and what stood there before
        self._shown = ""  # the story that the server has, as far as a client can know
        self._asked = self._agreed = ""  # the stories that the open question is about, and the one that was agreed to
        self._calls = list[dict[str, Any]]()  # which nobody has done yet
        self._is_at_work = False
        self._lost = set[str]()  # what a call has taken away that the server knew
        self.log = list[str]()
        self.shows()

    # --- what happens ----------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Something happens, and all that comes of it."""
        might = (self.writes, self.shows, self.asks, self.agrees, self.answers, self.stops, self.gives_up)
        (happens,) = self._chance.choices(might, (3, 2, 3, 3, 5, 1, 1))
        self.log.append(happens.__name__)
        happens()
        self._arrives()

    def writes(self) -> None:
        """The writer writes into a node, and shows nobody."""
        node_id, text = self._chance.choice(NODES), f"{len(self._by_hand)}: {_BY_HAND}"
        node = json.loads(self._editor.content)["resources"]["nodes"].get(str(node_id))
        if node is not None:
            self._editor.execute("update_node", {"node_id": node_id, "data": {"content": text}})
            self._by_hand.append(text)
            self._written.append((node_id, node["data"]["content"], text))
            self._note(f"{node_id}: {text[:9]}")

    def shows(self) -> None:
        """The server is sent the story."""
        self._client.sync(self._editor.content)
        self._arrives(self._editor.content)

    def asks(self) -> None:
        """The writer asks for something, which is refused while a turn is under way, and shows the story with it."""
        is_shown = self._chance.random() < 0.7
        shown: dict[str, Any] = {"arrow_content": self._editor.content} if is_shown else {}
        self._client.ask("Go on.", current_scene_id=0, **shown)
        self._is_at_work, self._asked = True, self._asked if self._is_at_work else ""
        self._arrives(self._editor.content if is_shown else "")

    def agrees(self) -> None:
        """The writer says yes to an open question."""
        if self._asked and not self._is_at_work:
            self._client.ask("yes", current_scene_id=0)
            self._is_at_work, self._agreed, self._asked = True, self._asked, ""

    def answers(self) -> None:
        """The editor does or refuses one of the calls, however late, and shows the story or not."""
        if not self._calls:
            return
        call = self._calls.pop(self._chance.randrange(len(self._calls)))
        if self._chance.random() < 0.1:
            self._client.refuse(call, "No.")
            return
        self._does(call, shows=self._chance.random() < 0.6)

    def stops(self) -> None:
        """The writer stops whatever is under way."""
        self._client.send("stop")
        self._asked = ""

    def gives_up(self) -> None:
        """The server waits for no answer any more."""
        self._patience.give_up()

    # --- how it ends -----------------------------------------------------------------------------------------------

    def ends(self) -> None:
        """All is done and shown. Then whatever was lost is there again with some undo.

        That may need that the writer takes back by hand what was written by hand since, as is said then.
        """
        while self._calls:
            self._does(self._calls.pop(0), shows=False)
            self._arrives()
        self._client.send("stop")
        self._arrives()
        self.shows()
        lost = set(self._lost)
        while lost:
            before = self._texts(self._editor.content)
            self._says("undo")
            if self._asked:
                self._agreed = self._asked
                self._says("yes")
            lost -= self._texts(self._editor.content) - before
            is_undone = not any(code in line for line in self.log[-5:] for code in ("CONFLICT", "NOTHING_TO_UNDO"))
            assert is_undone or self._takes_back(), "\n".join([*self.log, f"is gone for good: {lost}"])

    def _takes_back(self) -> bool:
        """Whether the writer can take something back by hand: what was written last and is still there."""
        while self._written:
            node_id, before, text = self._written.pop()
            if text in self._editor.content:
                self._editor.execute("update_node", {"node_id": node_id, "data": {"content": before}})
                return True
        return False

    def _says(self, words: str) -> None:
        self.log.append(f"{words} in {[text[:3] for text in self._texts(self._editor.content)]}")
        self._client.ask(words, arrow_content=self._editor.content, current_scene_id=0)
        self._is_at_work, self._asked = True, ""
        self._arrives(self._editor.content)
        while self._calls:
            self._does(self._calls.pop(0), shows=False)
            self._arrives()

    # --- what comes of it ------------------------------------------------------------------------------------------

    def _arrives(self, shown: str = "") -> None:
        """What was sent is there, a story with it; and nothing happens any more before a call is answered."""
        self._client.send("are you there?")
        while "are you there?" not in json.dumps(frame := self._client.frame()):
            self._takes(frame, knows="")  # it may have been sent before
        self._shown = shown or self._shown
        while self._is_at_work and not self._calls:
            self._takes(self._client.frame(), knows=self._shown)

    def _takes(self, frame: dict[str, Any], knows: str) -> None:
        """A frame of a server that knows a story."""
        if "Shall I" in json.dumps(frame):
            self._asked = self._shown
        if frame["type"] == self._end and "BUSY" not in json.dumps(frame):
            self._is_at_work, self._agreed = False, ""
        if frame["type"] not in ("turn_start", "suggestions", "text_end"):
            self._note(f"< {json.dumps(frame)[:300]}")
        if frame["type"] != "function_call":
            return
        call = flat(frame) | {"knows": knows}
        self._note(f"< {call['function']} {json.dumps(call['arguments'])[:100]}")
        self._calls.append(call)
        if knows:
            other = Dispatcher(knows)
            _do(other, call)
            unasked = self._texts(knows) - self._texts(other.content) - self._texts(self._agreed)
            assert not unasked, "\n".join([*self.log, f"is overwritten unasked: {unasked}"])

    def _does(self, call: dict[str, Any], *, shows: bool) -> None:
        before = self._editor.content
        result = _do(self._editor, call)
        after = self._editor.content
        self._lost |= self._texts(call["knows"]) & self._texts(before) - self._texts(after)
        if result is None:
            self._client.refuse(call, "It is not there.")
        else:
            self._client.answer(call, result, **({"arrow_content": after} if shows else {}))
            if shows:
                self._arrives(after)
        self._note(f"done: {call['function']}, shows: {shows}")

    def _texts(self, content: str) -> set[str]:
        return {text for text in self._by_hand if text in content}

    def _note(self, words: str) -> None:
        self.log.append(f"    {words}")


def _do(editor: Dispatcher, call: dict[str, Any]) -> Any:
    """What comes of a call; None where it cannot be done any more."""
    try:
        return editor.execute(call["function"], call["arguments"])
    except (KeyError, AssertionError):
        return None


def likes(chance: random.Random) -> Callable[[Request], Reply]:
    """A model that makes, changes and deletes what it likes, a few times in a turn."""

    def replies(_: Request) -> Reply:
        number = chance.randrange(1000)
        node_id = chance.choice(NODES)
        uses = (
            Use("update_node", {"node_id": node_id, "data": {"content": f"The model's, {number}."}}),
            Use("update_node", {"node_id": node_id, "name": f"named_{number}"}),
            Use("delete_node", {"node_id": 50}),
            Use("create_variable", {"name": f"gold_{number}", "type": "num"}),
            Use("create_insert_node", {"type": "hub", "connect_from": {"node_id": 3, "slot": 0}}),
        )
        return ["That is all."] if chance.random() < 0.4 else [chance.choice(uses)]

    return replies


@pytest.mark.parametrize("number", range(WALKS))
@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_nothing_that_is_known_is_lost(home: House, patience: Patience, dialect: str, number: int) -> None:
    chance = random.Random(f"walk {number} in {dialect}")
    home.model.otherwise = likes(random.Random(f"the model's, {number}"))
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        walk = Walk(client, dialect, patience, chance)
        for _ in range(STEPS):
            walk.step()
        home.model.otherwise = ["That is all."]
        walk.ends()
