"""The phases of an attack, and how much of each there is."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.attack import http_phases, process_phases, socket_phases
from tests.attack.findings import Findings
from tests.attack.server import Server


@dataclass(frozen=True)
class Phase:
    """One way to attack.

    Attributes:
        attack: Attacks a server; takes it, how often, a seed, and where to note what comes of it.
        long: How often in earnest.
        short: How often in the test suite.
        needs_stores: Whether the server must have its stores in processes of their own.
    """

    attack: Callable[[Server, int, int, Findings], None]
    long: int
    short: int
    needs_stores: bool = False


PHASES = {
    "frames": Phase(socket_phases.frames, long=10_000, short=200),
    "bodies": Phase(http_phases.bodies, long=2_000, short=50),
    "clients": Phase(socket_phases.clients, long=300, short=21),
    "readers": Phase(process_phases.readers, long=100, short=4),
    "documents": Phase(http_phases.documents, long=120, short=12),
    "deletions": Phase(process_phases.deletions, long=4, short=1),
    "stores": Phase(process_phases.stores, long=3, short=1, needs_stores=True),
}
