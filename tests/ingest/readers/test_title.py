import pytest

from ingest.readers.title import is_title


@pytest.mark.parametrize("line", ["The Harbour", "Epizod 3.", "1. Gameplay", "SLAIN: BACK FROM HELL", "IV."])
def test_titles(line: str) -> None:
    assert is_title(line)


@pytest.mark.parametrize(
    "line", ["30/01/24", "Platform: PC", "He ran.", "one\ntwo", "word " * 20, "and then,", "-----"]
)
def test_other_lines(line: str) -> None:
    assert not is_title(line)
