"""A server for each test, and a client that talks to it."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from corpora import ProjectKey
from server import Access
from tests.agent.scripted_model import PATIENCE_S, ScriptedModel
from tests.server.client import Client
from tests.server.house import House, house
from tests.server.patience import Patience

# Which look at nothing but what one workspace is answered; a server takes as long to start as most of their tests do.
_SHARING = (
    *("answers_in_any_words", "batches", "confirmation", "done_late", "file_sync", "frames", "half_done", "lowering"),
    *("messages", "newest_story", "odd_characters", "seed_messages", "spec_dialect", "suggestions_as_text", "turn"),
)
_NUMBERS = count()
_WORKSPACES = {"the test's token": "of no test"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One server for a file, whose only token opens another workspace for each test."""
    with house(tmp_path_factory.mktemp("shared") / "data", access=Access(tokens=_WORKSPACES)) as opened:
        yield opened


@pytest.fixture
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """A server whose model has no script yet, and a workspace of it without documents."""
    if request.module.__name__.rpartition(".test_")[2] not in _SHARING:
        with house(tmp_path / "data") as opened:
            yield opened
        return
    shared: House = request.getfixturevalue("shared")
    (token,) = _WORKSPACES
    _WORKSPACES[token] = f"workspace-{next(_NUMBERS)}"
    ScriptedModel.__init__(shared.model)
    key = ProjectKey(_WORKSPACES[token], "1")
    yield replace(shared, key=key, headers={"Authorization": f"Bearer {token}"})
    shared.watched.wait_until_idle()


@pytest.fixture
def client(home: House) -> Iterator[Client]:
    """A client that has sent the story as project 1."""
    with home.client() as opened:
        opened.sync()
        opened.assert_quiet()  # it has arrived
        yield opened


@pytest.fixture(autouse=True)
def patience_with_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped turn is waited for until it has ended, however busy the machine is."""
    monkeypatch.setattr("server.socket.open_turn._STOP_PATIENCE_S", PATIENCE_S)


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> Patience:
    """The server's with calls."""
    patience = Patience()
    patient = SimpleNamespace(**vars(asyncio) | {"timeout": patience.timeout})
    monkeypatch.setattr("server.socket.remote_editor.asyncio", patient)
    return patience
