from pathlib import Path

import pytest

from arrow_project import ArrowProject, parse

DOCUMENTS = Path(__file__).parent / "documents"
SHARED = Path(__file__).parents[3] / "shared"


@pytest.fixture
def lamp() -> ArrowProject:
    """A small story with three scenes, one of them a macro."""
    return parse((DOCUMENTS / "lamp.arrow").read_text(encoding="utf-8"))


@pytest.fixture
def blank() -> ArrowProject:
    """An entry, a content node, nothing else."""
    return parse((DOCUMENTS / "blank.arrow").read_text(encoding="utf-8"))


@pytest.fixture
def real_documents() -> list[Path]:
    """Documents that Arrow's own editor wrote."""
    found = sorted((SHARED / "data" / "arrow").glob("*.arrow"))
    if not found:
        pytest.skip("the folder of documents written by Arrow is not beside the repository")
    return found
