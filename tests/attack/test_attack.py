"""A few seconds of each phase that `make attack` runs for long."""

from collections.abc import Iterator

import pytest

from tests.attack.findings import Findings
from tests.attack.phases import PHASES
from tests.attack.server import WITNESS, Server, attacked
from tests.attack.stores import running_stores
from tests.attack.witness import Witness

SEED = 1


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with attacked(tmp_path_factory.mktemp("attacked")) as opened:
        yield opened


@pytest.fixture(scope="module")
def witness(server: Server) -> Witness:
    return settled(server)


def settled(server: Server) -> Witness:
    witness = Witness(server.url, WITNESS)
    witness.settle()
    return witness


@pytest.mark.parametrize("name", [name for name, phase in PHASES.items() if not phase.needs_stores])
def test_nothing_breaks_and_the_good_client_loses_nothing(server: Server, witness: Witness, name: str) -> None:
    attack(server, witness, name)


def test_stores_that_stand_still(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("attacked")
    with running_stores() as stores, attacked(folder, **stores.settings) as server:
        server.stores = stores.processes
        attack(server, settled(server), "stores")


def attack(server: Server, witness: Witness, name: str) -> None:
    """One phase; afterwards the server's log has nothing new, and the witness everything."""
    findings, before = Findings(name), (server.tracebacks(), server.errors())
    PHASES[name].attack(server, PHASES[name].short, SEED, findings)
    assert not findings.problems, findings.examples
    assert (server.tracebacks(), server.errors()) == before
    assert server.is_alive
    for _ in range(3):
        assert not [answer for answer in witness.look() if answer.wrong or answer.refused]
