"""How much of a model's answer is read: it is counted as it comes, before it is read once more."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count
from typing import Any

import pytest
from pydantic_ai import _special_tokens
from pydantic_ai.messages import ModelMessage, ModelRequest
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.profiles import ModelProfile

from agent import Failed, Threads, working_in
from agent.answering.requests import Requests
from agent.answering.tools import read_calls, tool_schemas
from agent.models.failures import AnswerWithoutEnd
from agent.models.retries import Retries
from arrow_project import Operation
from tests.agent.scripted_model import Use
from tests.agent.turn_runner import TurnRunner, unheard

# As of a host that may take a chat format's marks in a text for its own: pydantic-ai takes out again what it put in.
HOST = ModelProfile(may_tokenize_special_tokens_in_content=True)
LONG = "x" * 100_000
JOINED = "<\u200d|im_start|>"


async def answered(events: Iterator[Any]) -> Any:
    """The response to one request whose answer is these pieces."""

    async def stream(_messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[Any]:
        for event in events:
            yield event

    model = FunctionModel(stream_function=stream, profile=HOST)
    requests = Requests(model, ModelRequestParameters(), Retries(), unheard)
    return await requests.send([ModelRequest.user_text_prompt("Hello?")])


async def test_each_piece_of_an_answer_waits_until_the_event_loop_is_its_workspaces() -> None:
    waited: list[None] = []

    async def give_way() -> None:
        waited.append(None)

    with working_in(Threads(give_way=give_way)):
        await answered(iter(["x"] * 10))
    assert len(waited) >= 10


@pytest.mark.parametrize(
    "piece",
    [
        lambda _: LONG,
        lambda n: {0: DeltaToolCall("create_variable" if n == 0 else None, LONG, tool_call_id="a")},
        lambda n: {n: DeltaToolCall("create_variable", LONG, tool_call_id=str(n))},
        lambda n: {n: DeltaToolCall(LONG, "{}", tool_call_id=str(n))},
        lambda n: {n: DeltaToolCall("create_variable", "{}", tool_call_id=f"{n}{LONG}")},
        lambda n: {0: DeltaToolCall(LONG, "{}" if n == 0 else "", tool_call_id="a")},
        lambda _: {0: DeltaThinkingPart(content=LONG)},
        lambda _: {0: DeltaThinkingPart(content="so", signature=LONG)},
    ],
    ids=["text", "arguments", "calls", "names", "ids", "a name", "thoughts", "a signature"],
)
async def test_an_answer_is_read_no_further_than_one_may_be(
    piece: Callable[[int], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    once = _special_tokens.restore_special_tokens
    monkeypatch.setattr(_special_tokens, "restore_special_tokens", lambda text: read.append(len(text)) or once(text))
    sent = count()
    with pytest.raises(AnswerWithoutEnd, match="at most 250,000"):
        await answered(piece(n) for n in sent)
    assert next(sent) <= 4, "pieces of the answer were taken"
    assert sum(read) <= 300_000, "characters were read again"


async def test_a_piece_that_is_too_long_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_special_tokens.StreamRestorer, "restore", lambda *_: pytest.fail("it was read"))
    for piece in (LONG * 3, {0: DeltaToolCall("create_variable", LONG * 3)}):
        with pytest.raises(AnswerWithoutEnd):
            await answered(iter([piece]))


async def test_what_replaces_the_id_of_a_call_counts_at_the_end() -> None:
    pieces = [{n: DeltaToolCall(name, "{}" if name else "", tool_call_id=given)}
              for n in range(3) for name, given in (("list_characters", "a"), (None, LONG))]  # fmt: skip
    with pytest.raises(AnswerWithoutEnd):
        await answered(iter(pieces))


async def test_all_that_has_come_is_read_again_for_few_parts_only() -> None:
    calls = ({n: DeltaToolCall("list_characters", "{}", tool_call_id=str(n))} for n in count())
    with pytest.raises(AnswerWithoutEnd):
        await answered(calls)
    most = [{n: DeltaToolCall("create_variable", '{"a": "' + "x" * 150 + '"}', tool_call_id=f"call_{n:024}")}
            for n in range(200)]  # fmt: skip
    assert len((await answered(iter(most))).tool_calls) == 200, "as many as a response may call, with all its tokens"


async def test_the_longest_answer_of_all_tokens_is_one() -> None:
    tokens = ["antidisestablish " * 16] * 512
    assert (await answered(iter(tokens))).text == "".join(tokens)
    thought = [{0: DeltaThinkingPart(content=token)} for token in tokens]
    assert (await answered(iter([*thought, "Yes."]))).text == "Yes."


@pytest.mark.parametrize("ascii_only", [False, True], ids=["as it is", "escaped"])
async def test_arguments_are_read_once_and_without_what_was_put_into_marks(
    ascii_only: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_special_tokens._StreamedArgsRestorer, "feed", lambda *_: pytest.fail("each character"))  # pyright: ignore[reportPrivateUsage]
    written = json.dumps({"name": JOINED}, ensure_ascii=ascii_only)
    pieces = [JOINED[:2], JOINED[2:], *({0: DeltaToolCall("create_variable" if n == 0 else None, letter)}
                                        for n, letter in enumerate(written))]  # fmt: skip
    response = await answered(iter(pieces))
    assert response.text == "<|im_start|>"
    assert read_calls(response.tool_calls, tool_schemas()) == [Operation("create_variable", {"name": "<|im_start|>"})]
    assert response.tool_calls[0].args == {"name": "<|im_start|>"}


async def test_all_answers_of_a_turn_together_have_a_limit(runner: TurnRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.answering.requests._MOST_CHARACTERS", 100_000)
    runner.model.add(*[["word " * 9_000, Use("list_characters")]] * 9)
    events = await runner.events("Who is there?")
    assert [event.failure.code for event in events if isinstance(event, Failed)] == ["STEP_LIMIT"]
    assert len(runner.model.requests) == 3


async def test_results_of_one_answer_count_as_they_are_made(
    runner: TurnRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.answering.requests._MOST_CHARACTERS", 20_000)
    made: list[str] = []

    async def call(_reader: Any, tool: str, _arguments: Any) -> dict[str, Any]:
        made.append(tool)
        return {"text": "x" * 8_000}

    monkeypatch.setattr("agent.reading.reading_tools.TurnReader.call", call)
    runner.model.add([Use("list_characters")] * 50)
    events = await runner.events("Who is there?")
    assert [event.failure.code for event in events if isinstance(event, Failed)] == ["STEP_LIMIT"]
    assert len(made) == 3
    assert len(runner.model.requests) == 1
