"""A server for each test, and a client that talks to it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.agent.scripted_model import PATIENCE_S
from tests.server.client import Client
from tests.server.house import House, house
from tests.server.patience import Patience


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    """A server without documents whose model has no script yet."""
    with house(tmp_path / "data") as opened:
        yield opened


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
