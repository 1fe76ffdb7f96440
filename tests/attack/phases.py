"""The phases of an attack, and how much of each there is."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.attack.crowd import clients
from tests.attack.findings import Findings
from tests.attack.frame_phase import frames
from tests.attack.http_phases import bodies, documents
from tests.attack.pages_phase import pages
from tests.attack.process_phases import deletions, readers
from tests.attack.server import Server
from tests.attack.stores_phase import stores


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
    "frames": Phase(frames, long=10_000, short=30),
    "bodies": Phase(bodies, long=2_000, short=20),
    "clients": Phase(clients, long=300, short=8),
    "documents": Phase(documents, long=120, short=3),
    "pages": Phase(pages, long=15, short=2),
    "deletions": Phase(deletions, long=4, short=1),
    "readers": Phase(readers, long=100, short=1),
    "stores": Phase(stores, long=3, short=1, needs_stores=True),
}
