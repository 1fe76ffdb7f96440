"""The suite's tasks, tried once with the planner without weights on the sample's real corpus."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agent import Answerer, Threads, working_in
from corpora import DataDirectory, ProjectKey
from evaluation.agent import TASKS, Attempt, StartNotHere, TakeTurn, TurnRefused, attempt
from fletcher.settings import load_settings
from fletcher.wiring import build_services, open_parts
from retrieval.sentences import split_units
from retrieval.words import split_words
from server import RequestError, Services, TurnBody, answer_turn

KEY = ProjectKey("local", "1")


@dataclass(frozen=True)
class Turns:
    """Takes turns with any model."""

    services: Services

    def of(self, answerer: Answerer | None = None) -> TakeTurn:
        """Turns with the planner, or with another answerer."""
        assistant = self.services.assistant
        chosen = assistant if answerer is None else replace(assistant, answerer=answerer)
        services = replace(self.services, assistant=chosen)

        async def take_turn(body: Mapping[str, Any]) -> Mapping[str, Any]:
            try:
                return await answer_turn(TurnBody(**body), KEY, services)
            except RequestError as error:
                raise TurnRefused(f"{error.code}: {error}") from error

        return take_turn


@pytest.fixture(scope="session")
def turns(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Turns]:
    data_dir = tmp_path_factory.mktemp("evaluation") / "data"
    shutil.copytree(ingested, data_dir)
    settings, directory = load_settings(data_dir=data_dir, model="local"), DataDirectory(data_dir)
    with directory.own(), open_parts(settings, directory) as parts:
        yield Turns(build_services(settings, parts))


@pytest.fixture(scope="session")
def attempts(turns: Turns) -> Mapping[str, Attempt]:
    """By task; without those whose file is not on this machine."""

    async def at_once(work: Callable[[], Any]) -> Any:
        return work()

    async def tried() -> Mapping[str, Attempt]:
        found: dict[str, Attempt] = {}
        with working_in(Threads(at_once, at_once)), pytest.MonkeyPatch.context() as patched:  # nobody else waits
            # Hundreds of questions are about the same hundred passages.
            patched.setattr("retrieval.novelty.split_words", cache(split_words))
            patched.setattr("retrieval.quotes.split_units", cache(split_units))
            for task in TASKS:
                with suppress(StartNotHere):
                    found[task.id] = await attempt(task, turns.of())
        return found

    return asyncio.run(tried())
