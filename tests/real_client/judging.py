"""Playing a conversation and comparing what came of it with what our engine makes of the same operations."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arrow_project import ArrowProject, Operation, check_text, parse
from tests.arrow_project.conform.calls import mind_calls
from tests.arrow_project.conform.deviations import unstable
from tests.arrow_project.conform.oracle import Oracle
from tests.real_client.client import Client, Seen, SeenTurn
from tests.real_client.conversation import Conversation, Turn
from tests.real_client.godot_json import read
from tests.real_client.house import House

# How much of a text is shown where it is not as it should be.
_SHOWN = 400
# A number with a fraction. The client places nodes at fractions, and Arrow rounds them when it loads them.
_FRACTION_RULE = 63


@dataclass(frozen=True)
class Verdict:
    """What came of a conversation.

    Attributes:
        problems: What is not as it should be; empty when all is well.
        functions: What the client was asked to execute, and how often.
        stale: References that the client was told to drop and keeps (see the package's docstring).
        seen: What the client saw.
    """

    problems: tuple[str, ...]
    functions: Counter[str]
    stale: int
    seen: Seen


def play(conversation: Conversation, house: House, client: Client, oracle: Oracle) -> Verdict:
    """Has the real client hold the conversation with the real server, and judges it."""
    house.take_log()
    house.put_documents("0", dict(conversation.documents))  # the first project of a writer has the number 0
    api = house.model.play(conversation.answers)
    seen = client.converse(house.socket_url, conversation.start, _job(conversation))
    healed, stale = _without_stale_references(conversation, seen)
    problems = [
        *_of_the_client(conversation, seen),
        *_of_the_model(conversation, [_texts(request) for request in api.requests]),
        *_of_the_document(conversation, seen, healed, oracle),
        *(f"the server logged: {line.strip()}" for line in house.take_log() if "Traceback" in line),
    ]
    functions = sum((turn.functions for turn in seen.turns), Counter[str]())
    return Verdict(tuple(problems), functions, stale, seen)


def _job(conversation: Conversation) -> list[dict[str, Any]]:
    """The turns in the form of `writer.gd`; edits by hand become calls of Arrow's own functions."""
    project = parse(conversation.start)
    job: list[dict[str, Any]] = []
    for turn in conversation.turns:
        before, at_start = _by_hand(project, turn.before), _by_hand(project, turn.at_start)
        project.apply_all(turn.does)
        stop = turn.stop and {turn.stop.when: turn.stop.value}
        job.append(
            {
                "message": turn.message,
                "before": before,
                "at_start": at_start,
                "scene": -1 if turn.opens is None else turn.opens,
                "select": list(turn.select),
                "stop": stop,
                "clear": turn.clear,
                "patience_s": turn.patience_s,
            }
        )
    return job


def _by_hand(project: ArrowProject, operations: tuple[Operation, ...]) -> list[list[Any]]:
    return [call for each in operations for native in project.apply(each).calls for call in mind_calls(native)]


# --- what the client saw -----------------------------------------------------------------------------------------


def _of_the_client(conversation: Conversation, seen: Seen) -> Iterator[str]:
    if not seen.connected or not seen.connected_after:
        yield f"connected before: {seen.connected}, after: {seen.connected_after}"
    for number, (turn, result) in enumerate(zip(conversation.turns, seen.turns, strict=True), start=1):
        for problem in _of_the_turn(turn, result):
            yield f"turn {number} ({turn.message[:30]!r}): {problem}"


def _of_the_turn(turn: Turn, seen: SeenTurn) -> Iterator[str]:
    if seen.ended is not turn.ends:
        yield f"ended: {seen.ended}"
    if seen.state != "IDLE":
        yield f"the client is {seen.state}"
    # Between pressing stop and its arrival at the server, the answer to the last result may be on its way.
    if seen.calls_after_stop > turn.as_far_as_it_came:
        yield f"{seen.calls_after_stop} calls came after stop"
    shown = "\n".join(seen.shown)
    yield from (
        f"the chat does not show {text[:80]!r}: {shown[-_SHOWN:]!r}" for text in turn.shows if text not in shown
    )
    yield from (f"the chat shows {text[:80]!r}" for text in turn.hides if text in shown)


# --- what the model read -----------------------------------------------------------------------------------------


def _of_the_model(conversation: Conversation, requests: list[str]) -> Iterator[str]:
    expected = len(conversation.answers)
    if len(requests) > expected or (len(requests) < expected and not conversation.any_requests):
        yield f"the model was asked {len(requests)} times, not {expected}"
    for number, texts in conversation.reads.items():
        read = requests[number] if number < len(requests) else ""
        yield from (
            f"the model's request {number} lacks {text[:80]!r}: {read[-_SHOWN:]!r}"
            for text in texts
            if text not in read
        )


def _texts(value: Any) -> str:
    """All texts in a request, one after the other."""
    if isinstance(value, dict):
        return "\n".join(_texts(item) for item in value.values())  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return "\n".join(_texts(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
    return value if isinstance(value, str) else ""


# --- the document ------------------------------------------------------------------------------------------------


def _expected(conversation: Conversation, seen: Seen) -> tuple[ArrowProject, dict[int, set[int]]]:
    """What our engine makes of the same operations, and the references that the client has known as whole numbers.

    Those are the ones that it loaded from its file, and those that the writer made.
    """
    project = parse(conversation.start)
    known: dict[int, set[int]] = defaultdict(set)
    for turn, result in zip(conversation.turns, seen.turns, strict=True):
        project.apply_all((*turn.before, *turn.at_start))
        for node_id, node in project.data.nodes.items():
            known[node_id].update(node.get("ref", ()))
        project.apply_all(turn.does[: result.results] if turn.as_far_as_it_came else turn.does)
    return project, known


def _without_stale_references(conversation: Conversation, seen: Seen) -> tuple[ArrowProject, int]:
    """The saved document without the references that the client cannot drop, and how many these are."""
    expected, known = _expected(conversation, seen)
    document, stale = json.loads(parse(seen.saved).to_text()), 0
    for key, node in document["resources"]["nodes"].items():
        needed = expected.data.nodes.get(int(key), {}).get("ref", ())
        left = [ref for ref in node.get("ref", ()) if ref not in needed and ref in known[int(key)]]
        if left:
            stale += len(left)
            node["ref"] = [ref for ref in node["ref"] if ref not in left]
            if not node["ref"]:
                del node["ref"]
    return parse(json.dumps(document)), stale


def _of_the_document(conversation: Conversation, seen: Seen, healed: ArrowProject, oracle: Oracle) -> Iterator[str]:
    fractions = [finding for finding in check_text(seen.saved) if finding.rule == _FRACTION_RULE]
    for finding in [*(each for each in fractions if ".offset." not in each.place), *check_text(healed.to_text())]:
        if finding.severity == "error":
            yield f"rule {finding.rule} is broken at {finding.place}: {finding.message}"
    yield from _differences(_plain(_expected(conversation, seen)[0]), _plain(healed), "")
    yield from _of_arrow(seen.saved, healed, oracle)


def _plain(project: ArrowProject) -> dict[str, Any]:
    """The document without what need not be the same: positions, and when it was saved."""
    plain = json.loads(project.to_text())
    plain["meta"].pop("last_save", None)
    for scene in plain["resources"]["scenes"].values():
        for entry in scene["map"].values():
            entry.pop("offset")
    return plain


def _differences(expected: Any, saved: Any, place: str) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(saved, dict):
        for key in {**expected, **saved}:  # pyright: ignore[reportUnknownVariableType]
            yield from _differences(expected.get(key), saved.get(key), f"{place}/{key}")  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    elif expected != saved:
        yield f"{place}: expected {_short(expected)}, saved {_short(saved)}"


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:_SHOWN]


def _of_arrow(saved: str, healed: ArrowProject, oracle: Oracle) -> Iterator[str]:
    """Arrow loads the file, and changes nothing when every node is opened and updated in its inspector."""
    text = healed.to_text()
    script: list[list[Any]] = [["load_project", read(saved), True], ["$reload"]]
    script += [["load_project", json.loads(text), True], ["$reload"]]
    for scene_id, scene in healed.data.scenes.items():
        stable = [node_id for node_id in scene["map"] if not unstable(healed.data, node_id)]
        script += [["$open_scene", scene_id], *(["$inspect", node_id] for node_id in stable)]
    answer = oracle.run([*script, ["$reload"]])
    if answer["results"][1] is not True:
        yield "Arrow does not load the document"
    if answer["steps"][-1] != text:
        culprit = next(i for i, step in enumerate(answer["steps"][3:], start=3) if step != text)
        yield f"Arrow changes the document at {script[culprit] if culprit < len(script) else 'the end'}"
