"""The well-behaved client: `python -m tests.attack.witness URL TOKEN` asks every second until its input ends.

A process of its own, so that what it measures is the server's time and not that of the attacker's threads. It prints
one line of JSON for each answer.
"""

import json
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any

import httpx
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from tests.agent.story import story_text
from tests.attack.server import WITNESS_PROJECTS

_EVERY_S = 1.0
_PATIENCE_S = 60.0
_RECONNECTS_EVERY = 5
_EDITS_EVERY = 3
PROJECT, KEPT = WITNESS_PROJECTS
FACTS = {
    "Elena": "lighthouse", "Tomas": "ferry", "Ilse": "bakery",
    "Bruno": "smithy", "Greta": "library", "Anton": "orchard",
}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """One question and what came of it.

    Attributes:
        asked: Its kind.
        at: When it was asked, in seconds of `time.time()`.
        seconds: Until the answer was there.
        refused: The code of a refusal.
        wrong: What is wrong with the answer, or that there is none; empty if nothing is.
    """

    asked: str
    at: float
    seconds: float
    refused: str = ""
    wrong: str = ""


class Refused(Exception):
    """The server has said with a code that it cannot answer now."""


def _document(who: str, what: str) -> dict[str, str]:
    text = f"# {who}\n\n{who} keeps the {what} of Saltham.\n\n## Past\n\nBefore that {who} was at sea for years.\n"
    return {"name": f"{who.lower()}.md", "text": text}


class Witness:
    """A writer with two projects of her own, who knows every answer.

    In `PROJECT` she asks, edits and takes back; in `KEPT` she edits once, and takes it back when all is over.
    """

    def __init__(self, url: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=_PATIENCE_S, trust_env=False)
        self._socket_url = f"{url.replace('http', 'ws', 1)}/ws/chat?dialect=fletcher&token={token}"
        self._socket: ClientConnection | None = None
        self._connected = ExitStack()
        self._story = story_text()
        self._kept = ""
        self._facts: Iterator[tuple[str, str]] = _in_turn(FACTS)
        self._looks = 0

    def settle(self) -> None:
        """Puts her documents there, and makes the edit that she will take back."""
        documents = [_document(who, what) for who, what in FACTS.items()]
        for project in (PROJECT, KEPT):
            answer = self._http.post(f"/projects/{project}/corpus?wait=true", json={"documents": documents})
            assert answer.status_code == 200, answer.text
            statuses = {document["status"] for document in answer.json()["documents"]}
            assert statuses <= {"indexed", "unchanged"}, answer.text
        self._kept = self._edited(KEPT, self._story)

    def look(self) -> list[Answer]:
        """Asks for one of everything."""
        self._looks += 1
        who, what = next(self._facts)
        if self._looks % _RECONNECTS_EVERY == 0:
            self._hang_up()
        answers = [
            _timed("list", self._list),
            _timed("search", lambda: self._search(who, what)),
            _timed("turn", lambda: self._turn(who, what)),
        ]
        if answers[-1].wrong or answers[-1].refused:
            self._hang_up()
        if self._looks % _EDITS_EVERY == 0:
            answers.append(_timed("edit and undo", lambda: self._edit_and_undo(PROJECT)))
        return answers

    def leave(self) -> list[Answer]:
        """Takes back what she did first, and looks whether all of hers is there."""
        answers = [
            _timed("the kept undo", lambda: self._undo(KEPT, self._kept)),
            _timed("the kept documents", lambda: self._list(KEPT)),
            *(_timed("all that she knows", lambda w=w, t=t: self._search(w, t)) for w, t in FACTS.items()),
        ]
        self._hang_up()
        self._http.close()
        return answers

    def _list(self, project: str = PROJECT) -> None:
        documents = _said(self._http.get(f"/projects/{project}/documents"))["documents"]
        names = sorted(document["name"] for document in documents)
        assert names == sorted(f"{who.lower()}.md" for who in FACTS), f"the documents are {names}"

    def _search(self, who: str, what: str) -> None:
        query = {"q": f"Who keeps the {what}?", "k": 3}
        passages = _said(self._http.get(f"/projects/{PROJECT}/search", params=query))["passages"]
        assert passages, "nothing is found"
        assert passages[0]["document"] == f"{who.lower()}.md", f"{what} is found in {passages[0]['document']}"
        assert f"{who} keeps the {what}" in passages[0]["text"], f"found for {what}: {passages[0]['text']}"

    def _turn(self, who: str, what: str) -> None:
        """A question over the socket."""
        if self._socket is None:
            connection = connect(self._socket_url, proxy=None, open_timeout=_PATIENCE_S)
            self._socket = self._connected.enter_context(connection)
        fields = {"current_project_id": PROJECT, "arrow_content": self._story, "current_scene_id": 0}
        message = f"Who keeps the {what} of Saltham?"
        self._socket.send(json.dumps({"type": "user_message", "message": message} | fields))
        said, cited = "", set[str]()
        while True:
            frame = json.loads(self._socket.recv(_PATIENCE_S))
            if frame["type"] == "error":
                raise Refused(frame["code"])
            if frame["type"] == "text_chunk":
                said += frame["text"]
            elif frame["type"] == "citations":
                cited |= {item["document"] for item in frame["items"]}
            elif frame["type"] == "turn_end":
                break
        assert f"{who} keeps the {what}" in said, f"a turn about {what} said: {said}"
        assert f"{who.lower()}.md" in cited, f"a turn about {what} cited {sorted(cited)}"

    def _edit_and_undo(self, project: str) -> None:
        self._undo(project, self._edited(project, self._story))

    def _edited(self, project: str, content: str) -> str:
        edit = {"function": "create_variable", "function_params": {"name": "gold", "type": "num"}}
        answer = _said(self._http.post(f"/projects/{project}/turns", json={"arrow_content": content} | edit))
        assert answer["changed"], f"the edit changed nothing: {answer['text']}"
        return answer["arrow_content"]

    def _undo(self, project: str, content: str) -> None:
        body = {"arrow_content": content, "function": "undo"}
        answer = _said(self._http.post(f"/projects/{project}/turns", json=body))
        assert answer["arrow_content"] == self._story, f"undo did not lead back: {answer['text']}"

    def _hang_up(self) -> None:
        self._socket = None
        self._connected.close()


def _said(answer: httpx.Response) -> Any:
    if answer.is_success:
        return answer.json()
    try:
        raise Refused(answer.json()["error"]["code"])
    except (ValueError, KeyError) as error:
        raise AssertionError(f"{answer.status_code}: {answer.text[:100]}") from error


def _timed(asked: str, ask: Callable[[], None]) -> Answer:
    at, started = time.time(), time.perf_counter()
    refused = wrong = ""
    try:
        ask()
    except Refused as error:
        refused = str(error)
    except (AssertionError, OSError, TimeoutError, httpx.HTTPError, WebSocketException) as error:
        wrong = f"{type(error).__name__}: {error}"[:300]
    return Answer(asked, at, time.perf_counter() - started, refused, wrong)


def _in_turn(facts: dict[str, str]) -> Generator[tuple[str, str]]:
    names = list(facts)
    for number in count():
        who = names[number % len(names)]
        yield who, facts[who]


def _tell(answers: list[Answer]) -> None:
    for answer in answers:
        sys.stdout.write(json.dumps(asdict(answer)) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Asks until standard input ends."""
    witness = Witness(*sys.argv[1:])
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    witness.settle()
    _tell(witness.look())
    due = time.monotonic()
    while not over.wait(max(0.0, due - time.monotonic())):
        _tell(witness.look())
        due = max(due + _EVERY_S, time.monotonic())
    _tell(witness.leave())


if __name__ == "__main__":
    main()
