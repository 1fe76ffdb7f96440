"""The states that tasks start from."""

from pathlib import Path

from arrow_project import ArrowProject, parse
from corpora.samples import SAMPLE

SAMPLE_STORY = "inland-light"
"""The sample project, whose documents every task may ask about."""
ALL_NODE_TYPES = "all-node-types"
HOME = "example1-home"
INTRO = "example2-intro"

# Beside the checkout; they are Arrow's own examples and not part of this project.
_EXAMPLES = Path(__file__).resolve().parents[3] / "shared" / "data" / "arrow"


class StartNotHere(Exception):
    """The file that a task starts from is not on this machine."""


def open_start(name: str) -> ArrowProject:
    """A fresh copy of the state.

    Raises:
        StartNotHere: Its file is not on this machine.
    """
    path = SAMPLE.arrow_file if name == SAMPLE_STORY else _EXAMPLES / f"{name}.arrow"
    if not path.is_file():
        raise StartNotHere(f"{path.name} is not here; it is looked for in {path.parent}")
    return parse(path.read_bytes())
