"""Answers of a provider in which a value is not what anybody expects: its own failure, and never ours."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agent import Assistant, Event, Failed, InMemoryEditor, ModelAnswerer, TurnRequest
from agent.editing.editor import Failure
from agent.models.providers import provided_model
from agent.models.retries import Retries
from fletcher.loopback import bind, serving
from tests.agent.provider import GOLD, HELLO, KINDS
from tests.agent.story import story
from tests.agent.turn_runner import TurnRunner
from tests.end_to_end.messages_api import MessagesApi, Text

# The libraries warn of what they read.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
EXAMPLES = 12

values = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.sampled_from([-1, 5, 10**30, "", "x", "\ud800", "stop", "refusal", "error"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "type", "text"]), inner),
    max_leaves=4,
)
Way = tuple[str | int, ...]


class SpoiledApi(MessagesApi):
    """For a provider's stub, before its class: puts `value` into the first answer, into the `place`th of all places."""

    place = 0
    value: Any = None

    async def _stream(self, answer: Any) -> AsyncIterator[str]:
        events = [event async for event in super()._stream(answer)]
        if len(self.requests) == 1:
            places = [(at, way) for at, event in enumerate(events) for way in _ways(_data(event))]
            at, way = places[self.place % len(places)]
            before, _, _ = events[at].rpartition("data: ")
            events[at] = f"{before}data: {json.dumps(_put(_data(events[at]), way, self.value))}\n\n"
        for event in events:
            yield event


def _data(event: str) -> Any:
    data = event.rpartition("data: ")[2].strip()
    return data if data == "[DONE]" else json.loads(data)


def _inner(value: Any) -> dict[str | int, Any]:
    if isinstance(value, list):
        return dict(enumerate(cast("list[Any]", value)))
    return cast("dict[str | int, Any]", value) if isinstance(value, dict) else {}


def _ways(value: Any) -> Iterator[Way]:
    """The ways to all values in a value; itself first."""
    yield ()
    for key, one in _inner(value).items():
        for way in _ways(one):
            yield (key, *way)


def _put(into: Any, way: Way, value: Any) -> Any:
    if not way:
        return value
    inner = _inner(into)
    inner |= {way[0]: _put(inner[way[0]], way[1:], value)}
    return list(inner.values()) if isinstance(into, list) else inner


class OddProvider:
    """A model on a provider's stub, all of whose turns run on one event loop."""

    def __init__(self, name: str, runner: TurnRunner, api: SpoiledApi, loop: asyncio.Runner) -> None:
        self._turns, self._api, self._loop = runner, api, loop
        retries = Retries(sleep=lambda _seconds: asyncio.sleep(0))
        self._assistant = Assistant(runner.retriever, ModelAnswerer(provided_model(name), name, retries), 12_000)

    def failure(self, place: int, value: Any) -> Failure | None:
        """What a turn says that went wrong, with a first answer that is spoiled so."""
        self._api.requests.clear()
        self._api.place, self._api.value = place, value
        failed = [event.failure for event in self._loop.run(self._turn()) if isinstance(event, Failed)]
        return failed[0] if failed else None

    async def _turn(self) -> list[Event]:
        editor, events = InMemoryEditor(story()), list[Event]()

        async def note(event: Event) -> None:
            events.append(event)

        request = TurnRequest(self._turns.key, "Hello?", editor.project)
        await self._assistant.turn(request, editor, self._turns.pendings, note).run()
        return events


@pytest.fixture(params=KINDS)
def odd(request: pytest.FixtureRequest, runner: TurnRunner, monkeypatch: pytest.MonkeyPatch) -> Iterator[OddProvider]:
    """Each provider in turn."""
    for key in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(key, "not-a-key")
    kind = type("Api", (SpoiledApi, KINDS[request.param]), {})
    api = kind([[Text(["I'll ", "add it."]), GOLD], *[HELLO] * 5])
    with serving(api.app(), 2**20, bind("127.0.0.1", 0)) as url, asyncio.Runner() as loop:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        yield OddProvider(request.param, runner, api, loop)


@settings(
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(place=st.integers(0, 199), value=values)
@example(place=0, value=None)
@example(place=3, value="x")
@example(place=3, value=1e300)
@example(place=4, value=5)
def test_an_answer_with_a_value_that_nobody_expects_is_no_error_of_ours(
    odd: OddProvider, place: int, value: Any
) -> None:
    failure = odd.failure(place, value)
    assert failure is None or failure.code != "INTERNAL"


def test_of_an_answer_that_cannot_be_read_the_user_is_told_so(odd: OddProvider) -> None:
    failure = odd.failure(0, None)
    assert failure is not None
    assert failure.code == "MODEL_MISBEHAVED"
    assert "sent cannot be read; the server's log has more" in failure.message
