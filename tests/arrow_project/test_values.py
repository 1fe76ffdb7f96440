"""Values of a document as tables find them."""

import os
import subprocess
import sys

from arrow_project.values import key_of


def test_nobody_can_know_where_a_connection_stands_in_a_table() -> None:
    """Numbers, and tuples with them, have hashes that can be chosen: somebody could choose many for one place."""
    program = "from arrow_project.values import key_of; print(hash(key_of([1, 0, 2, 0])))"
    places = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(places) == 2
    assert isinstance(key_of([1, 0, 2, 0]), str), "a salt in a tuple is no help: what follows upon it can undo itself"
