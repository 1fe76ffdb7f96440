"""What the editor behind a socket is asked for."""

import threading
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from agent import Unread
from arrow_project import NativeCall
from server.dialects import DIALECTS, Call, Client, Frame
from server.socket.messages import FunctionResult
from server.socket.remote_editor import ANOTHER_STORY, RemoteEditor


@pytest.mark.parametrize("many", [1, 2])
async def test_calls_are_worked_out_beside_the_event_loop(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """To rename a variable in all texts is a call for each node, and one alone brings along notes of any length."""
    here, worked_out = threading.get_ident(), list[int]()
    dialect = DIALECTS["spec"](Client(frozenset({"batch"})))
    calls = (Call("update_node", {"node_id": 1}),) * many

    def calls_of(*_: object) -> tuple[Call, ...]:
        worked_out.append(threading.get_ident())
        return calls

    async def send(frames: Iterable[Frame]) -> None:
        (frame,) = frames
        data = frame.get("data", frame)
        assert editor.resolve(
            FunctionResult(type="function_result", request_id=data["request_id"], success=False, error="No."), 1
        )

    monkeypatch.setattr(dialect, "calls", calls_of)
    view: Any = SimpleNamespace(content=None, project=None)
    editor = RemoteEditor(dialect, send, lambda _: None, lambda _: view, 60, Unread())
    applied: Any = SimpleNamespace(calls=(NativeCall("update_node", {}),) * many, result={"node_id": 1})
    outcome = await editor.apply(applied)
    assert outcome.failure is not None
    assert [one != here for one in worked_out] == [True]


@pytest.mark.parametrize("number", [2**53, 2**53 + 1])
async def test_no_call_names_a_number_that_an_editor_reads_as_another(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ids are that are made of the time: the node beside would be changed."""
    dialect, sent = DIALECTS["arrow-ai"](Client()), list[Frame]()
    calls = (Call("update_node", {"data": {"lines": [{"node_id": number}]}}),)
    monkeypatch.setattr(dialect, "calls", lambda *_: calls)

    async def send(frames: Iterable[Frame]) -> None:
        (frame,) = frames
        sent.append(frame)
        result = {"request_id": frame["request_id"], "success": True, "result": "", "error": ""}
        assert editor.resolve(FunctionResult.model_validate({"type": "function_result"} | result), 1)

    view: Any = SimpleNamespace(content=None, project=None)
    editor = RemoteEditor(dialect, send, lambda _: None, lambda _: view, 60, Unread())
    applied: Any = SimpleNamespace(calls=calls, result={"node_id": number})
    outcome = await editor.apply(applied)
    assert (outcome.success, len(sent)) == ((True, 1) if number == 2**53 else (False, 0))


@pytest.mark.parametrize("is_left", [False, True])
async def test_no_call_is_sent_while_a_story_is_read_that_has_come_as_it_waited_for_something_else_to_be_sent(
    monkeypatch: pytest.MonkeyPatch, *, is_left: bool
) -> None:
    dialect, sent, unread = DIALECTS["arrow-ai"](Client()), list[Frame](), Unread()
    monkeypatch.setattr(dialect, "calls", lambda *_: (Call("update_node", {"node_id": 1}),))
    tries = 0

    async def send(frames: Iterable[Frame]) -> None:
        nonlocal tries
        tries += 1
        if tries == 1:
            with unread.reading():
                sent.extend(frames)
            assert editor.has_more
            if is_left:
                editor.leave(ANOTHER_STORY)
            return
        (frame,) = frames
        sent.append(frame)
        result = {"request_id": frame["request_id"], "success": True, "result": "", "error": ""}
        assert editor.resolve(FunctionResult.model_validate({"type": "function_result"} | result), 1)

    view: Any = SimpleNamespace(content=None, project=None)
    editor = RemoteEditor(dialect, send, lambda _: None, lambda _: view, 60, unread)
    applied: Any = SimpleNamespace(calls=(NativeCall("update_node", {}),), result={"node_id": 1})
    outcome = await editor.apply(applied)
    assert (tries, len(sent), outcome.failure) == ((1, 0, ANOTHER_STORY) if is_left else (2, 1, None))
