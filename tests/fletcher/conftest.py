"""What several tests need: a file that takes nothing; an app, and a server without a network that asks it."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TextIO

import pytest
from uvicorn.server import ServerState

from fletcher.connections.config import Config
from fletcher.connections.http import Http
from fletcher.connections.reader import Waits
from tests.fletcher.line import MIB, App, Line, turns


@pytest.fixture
def full() -> Iterator[TextIO]:
    """As a file on a full disk."""
    nowhere = Path("/dev/full")
    if not nowhere.exists():
        pytest.skip("this system has no /dev/full")
    with nowhere.open("w") as opened:
        yield opened


@pytest.fixture
def app() -> App:
    return App()


@pytest.fixture
async def connect(app: App) -> AsyncIterator[Callable[..., Line]]:
    """Connects to a server without a network, from an address."""
    config = Config(app, Waits(), log_config=None, log_level="warning", access_log=False, ws_max_size=8 * MIB)
    config.load()
    state = ServerState()
    lines: list[Line] = []

    def new_line(address: str = "") -> Line:
        line = Line(address)
        lines.append(line)
        line.set_protocol(Http(config=config, server_state=state, app_state={}))
        line.protocol.connection_made(line)
        return line

    yield new_line
    for line in lines:
        line.close()
    await turns(5)
