"""The model's side of a turn, on its own."""

import asyncio
from collections.abc import AsyncIterator

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel

from agent.answering.conversation import Conversation
from agent.models.patience import Patience
from tests.agent.desk import unheard


async def _words(_messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str]:
    yield "Once upon "
    yield "a time."


def _conversation() -> Conversation:
    agent: Agent[None, str] = Agent(FunctionModel(stream_function=_words))
    return Conversation(agent, 5, Patience(), unheard, lambda _calls: None, lambda: None)


async def test_it_leaves_no_task_behind_at_whatever_instant_it_is_stopped() -> None:
    instant, was_stopped = 0, True
    while was_stopped:
        answering = asyncio.create_task(_conversation().run([], ["Hello?"]))
        for _ in range(instant):
            await asyncio.sleep(0)  # exactly one round of the event loop
        was_stopped = answering.cancel()
        await asyncio.wait((answering,))
        assert asyncio.all_tasks() == {asyncio.current_task()}, f"stopped after {instant} rounds"
        instant += 1
    assert instant > 20, "it was never stopped while it answered"
